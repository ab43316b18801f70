-- What Firnline deploys environment small with. Run once by an administrator: only one may grant
-- privileges on the account. The role itself is not an administrator, and can't become one.
USE ROLE ACCOUNTADMIN;
-- The blocks below query what SHOW lists: choose a warehouse first (USE WAREHOUSE), the smallest will do.

-- Two teams whose applications have one name would share these users: the run ends here if they are not ours.
EXECUTE IMMEDIATE $$
DECLARE taken EXCEPTION (-20001, 'User FIRNLINE_SMALL_DEPLOY exists, and its comment is not: Firnline small firnline-small, AWS account 123456789012. If another team has it, give this environment an application or a snowflake.deploy_role and preview_role of its own. If it is yours, run: ALTER USER FIRNLINE_SMALL_DEPLOY SET COMMENT = ''Firnline small firnline-small, AWS account 123456789012''; then this again.'); others INTEGER;
BEGIN
  SHOW USERS LIKE 'FIRNLINE\\_SMALL\\_DEPLOY';
  SELECT COUNT(*) INTO :others FROM TABLE(RESULT_SCAN(LAST_QUERY_ID()))
    WHERE "name" = 'FIRNLINE_SMALL_DEPLOY' AND COALESCE("comment", '') <> 'Firnline small firnline-small, AWS account 123456789012';
  IF (others > 0) THEN RAISE taken; END IF;
END;
$$;
EXECUTE IMMEDIATE $$
DECLARE taken EXCEPTION (-20001, 'User FIRNLINE_SMALL_PREVIEW exists, and its comment is not: Firnline small firnline-small, AWS account 123456789012. If another team has it, give this environment an application or a snowflake.deploy_role and preview_role of its own. If it is yours, run: ALTER USER FIRNLINE_SMALL_PREVIEW SET COMMENT = ''Firnline small firnline-small, AWS account 123456789012''; then this again.'); others INTEGER;
BEGIN
  SHOW USERS LIKE 'FIRNLINE\\_SMALL\\_PREVIEW';
  SELECT COUNT(*) INTO :others FROM TABLE(RESULT_SCAN(LAST_QUERY_ID()))
    WHERE "name" = 'FIRNLINE_SMALL_PREVIEW' AND COALESCE("comment", '') <> 'Firnline small firnline-small, AWS account 123456789012';
  IF (others > 0) THEN RAISE taken; END IF;
END;
$$;
EXECUTE IMMEDIATE $$
DECLARE taken EXCEPTION (-20002, 'Database LAKE exists, and FIRNLINE_SMALL_DEPLOY does not own it. If it is to be used as it is, say so in the specification (snowflake.databases: origin: adopt, docs/adopt.md); else give this environment another one. Nothing was created.'); others INTEGER;
BEGIN
  SHOW DATABASES LIKE 'LAKE';
  SELECT COUNT(*) INTO :others FROM TABLE(RESULT_SCAN(LAST_QUERY_ID()))
    WHERE "name" = 'LAKE' AND "owner" <> 'FIRNLINE_SMALL_DEPLOY';
  IF (others > 0) THEN RAISE taken; END IF;
END;
$$;

CREATE ROLE IF NOT EXISTS "FIRNLINE_SMALL_DEPLOY" COMMENT = 'Firnline small firnline-small';  -- makes and owns everything
GRANT CREATE DATABASE ON ACCOUNT TO ROLE "FIRNLINE_SMALL_DEPLOY";  -- the pipelines' databases; their schemas and tables follow
GRANT CREATE ROLE ON ACCOUNT TO ROLE "FIRNLINE_SMALL_DEPLOY";  -- the roles of engine and reader
GRANT CREATE USER ON ACCOUNT TO ROLE "FIRNLINE_SMALL_DEPLOY";  -- and their users
CREATE ROLE IF NOT EXISTS "FIRNLINE_SMALL_PREVIEW" COMMENT = 'Firnline small firnline-small';  -- sees what there is; `up` lets it see what it makes

-- CI logs in as the AWS role that GitHub lets it be, without any key; who deploys by hand, with this key pair.
CREATE USER IF NOT EXISTS "FIRNLINE_SMALL_DEPLOY" TYPE = SERVICE DEFAULT_ROLE = "FIRNLINE_SMALL_DEPLOY" COMMENT = 'Firnline small firnline-small, AWS account 123456789012';
GRANT ROLE "FIRNLINE_SMALL_DEPLOY" TO USER "FIRNLINE_SMALL_DEPLOY";
ALTER USER "FIRNLINE_SMALL_DEPLOY" SET WORKLOAD_IDENTITY = (TYPE = AWS ARN = 'arn:aws:iam::123456789012:role/deploy-firnline-small');
ALTER USER "FIRNLINE_SMALL_DEPLOY" SET RSA_PUBLIC_KEY = '<the public half, without its first and last line>';

-- What previews pull requests logs in as itself, in a role that sees, and does nothing else.
CREATE USER IF NOT EXISTS "FIRNLINE_SMALL_PREVIEW" TYPE = SERVICE DEFAULT_ROLE = "FIRNLINE_SMALL_PREVIEW" COMMENT = 'Firnline small firnline-small, AWS account 123456789012';
GRANT ROLE "FIRNLINE_SMALL_PREVIEW" TO USER "FIRNLINE_SMALL_PREVIEW";
ALTER USER "FIRNLINE_SMALL_PREVIEW" SET WORKLOAD_IDENTITY = (TYPE = AWS ARN = 'arn:aws:iam::123456789012:role/preview-firnline-small');
ALTER USER "FIRNLINE_SMALL_PREVIEW" SET DEFAULT_ROLE = "FIRNLINE_SMALL_PREVIEW";
