"""What runs jobs in the embedded environment: EMR Serverless, and a Kubernetes API with two Spark operators.

One server has the faces of the services; what they are asked to run becomes processes of this machine (jobs/), with the
credentials of the job's role and nothing else.
"""
