"""Makes, compares and looks after what Redshift has in its database: schemas that stand for streams, and views over them.

No stack holds them: the provider's statement forgets what it ran after a day and runs it again, and Redshift has no OR REPLACE
for a materialized view (hashicorp/terraform-provider-aws#37301). So they are looked at, and what is missing is made.
"""

from firnline_infra.redshift.views import RedshiftViews

__all__ = ["RedshiftViews"]
