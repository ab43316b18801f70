-- What Firnline deploys environment prod with. Run once by an administrator: only one may grant
-- privileges on the account. The role itself is not an administrator, and can't become one.
USE ROLE ACCOUNTADMIN;
USE WAREHOUSE "REPORTING";  -- the blocks below query what SHOW lists

-- Two teams whose applications have one name would share these users: the run ends here if they are not ours.
EXECUTE IMMEDIATE $$
DECLARE taken EXCEPTION (-20001, 'User FIRNLINE_PROD_DEPLOY exists, and its comment is not: Firnline prod firnline-prod, AWS account 123456789012. If another team has it, give this environment an application or a snowflake.deploy_role and preview_role of its own. If it is yours, run: ALTER USER FIRNLINE_PROD_DEPLOY SET COMMENT = ''Firnline prod firnline-prod, AWS account 123456789012''; then this again.'); others INTEGER;
BEGIN
  SHOW USERS LIKE 'FIRNLINE\\_PROD\\_DEPLOY';
  SELECT COUNT(*) INTO :others FROM TABLE(RESULT_SCAN(LAST_QUERY_ID()))
    WHERE "name" = 'FIRNLINE_PROD_DEPLOY' AND COALESCE("comment", '') <> 'Firnline prod firnline-prod, AWS account 123456789012';
  IF (others > 0) THEN RAISE taken; END IF;
END;
$$;
EXECUTE IMMEDIATE $$
DECLARE taken EXCEPTION (-20001, 'User FIRNLINE_PROD_PREVIEW exists, and its comment is not: Firnline prod firnline-prod, AWS account 123456789012. If another team has it, give this environment an application or a snowflake.deploy_role and preview_role of its own. If it is yours, run: ALTER USER FIRNLINE_PROD_PREVIEW SET COMMENT = ''Firnline prod firnline-prod, AWS account 123456789012''; then this again.'); others INTEGER;
BEGIN
  SHOW USERS LIKE 'FIRNLINE\\_PROD\\_PREVIEW';
  SELECT COUNT(*) INTO :others FROM TABLE(RESULT_SCAN(LAST_QUERY_ID()))
    WHERE "name" = 'FIRNLINE_PROD_PREVIEW' AND COALESCE("comment", '') <> 'Firnline prod firnline-prod, AWS account 123456789012';
  IF (others > 0) THEN RAISE taken; END IF;
END;
$$;
EXECUTE IMMEDIATE $$
DECLARE taken EXCEPTION (-20002, 'Database LAKE exists, and FIRNLINE_PROD_DEPLOY does not own it. If it is to be used as it is, say so in the specification (snowflake.databases: origin: adopt, docs/adopt.md); else give this environment another one. Nothing was created.'); others INTEGER;
BEGIN
  SHOW DATABASES LIKE 'LAKE';
  SELECT COUNT(*) INTO :others FROM TABLE(RESULT_SCAN(LAST_QUERY_ID()))
    WHERE "name" = 'LAKE' AND "owner" <> 'FIRNLINE_PROD_DEPLOY';
  IF (others > 0) THEN RAISE taken; END IF;
END;
$$;

CREATE ROLE IF NOT EXISTS "FIRNLINE_PROD_DEPLOY" COMMENT = 'Firnline prod firnline-prod';  -- makes and owns everything
GRANT CREATE DATABASE ON ACCOUNT TO ROLE "FIRNLINE_PROD_DEPLOY";  -- the pipelines' databases; their schemas and tables follow
GRANT CREATE ROLE ON ACCOUNT TO ROLE "FIRNLINE_PROD_DEPLOY";  -- the roles of engine and reader
GRANT CREATE USER ON ACCOUNT TO ROLE "FIRNLINE_PROD_DEPLOY";  -- and their users
GRANT CREATE NETWORK POLICY ON ACCOUNT TO ROLE "FIRNLINE_PROD_DEPLOY";  -- from where the users may connect
GRANT CREATE EXTERNAL VOLUME ON ACCOUNT TO ROLE "FIRNLINE_PROD_DEPLOY";  -- the places of Iceberg tables
GRANT CREATE WAREHOUSE ON ACCOUNT TO ROLE "FIRNLINE_PROD_DEPLOY";  -- the interactive warehouse
CREATE ROLE IF NOT EXISTS "FIRNLINE_PROD_PREVIEW" COMMENT = 'Firnline prod firnline-prod';  -- sees what there is; `up` lets it see what it makes

-- What belongs to others is used as it is: its owners run these, or an administrator for them. `firnline up`
-- says so when the specification asks for more of them later.
GRANT USAGE ON WAREHOUSE "REPORTING" TO ROLE "FIRNLINE_PROD_DEPLOY" WITH GRANT OPTION;  -- handed on to engine and reader

-- CI logs in as the AWS role that GitHub lets it be, without any key; who deploys by hand, with this key pair.
CREATE USER IF NOT EXISTS "FIRNLINE_PROD_DEPLOY" TYPE = SERVICE DEFAULT_ROLE = "FIRNLINE_PROD_DEPLOY" COMMENT = 'Firnline prod firnline-prod, AWS account 123456789012';
ALTER USER "FIRNLINE_PROD_DEPLOY" SET DEFAULT_WAREHOUSE = "REPORTING";
GRANT ROLE "FIRNLINE_PROD_DEPLOY" TO USER "FIRNLINE_PROD_DEPLOY";
ALTER USER "FIRNLINE_PROD_DEPLOY" SET WORKLOAD_IDENTITY = (TYPE = AWS ARN = 'arn:aws:iam::123456789012:role/deploy-firnline-prod');
ALTER USER "FIRNLINE_PROD_DEPLOY" SET RSA_PUBLIC_KEY = '<the public half, without its first and last line>';

-- What previews pull requests logs in as itself, in a role that sees, and does nothing else.
CREATE USER IF NOT EXISTS "FIRNLINE_PROD_PREVIEW" TYPE = SERVICE DEFAULT_ROLE = "FIRNLINE_PROD_PREVIEW" COMMENT = 'Firnline prod firnline-prod, AWS account 123456789012';
ALTER USER "FIRNLINE_PROD_PREVIEW" SET DEFAULT_WAREHOUSE = "REPORTING";
GRANT ROLE "FIRNLINE_PROD_PREVIEW" TO USER "FIRNLINE_PROD_PREVIEW";
ALTER USER "FIRNLINE_PROD_PREVIEW" SET WORKLOAD_IDENTITY = (TYPE = AWS ARN = 'arn:aws:iam::123456789012:role/preview-firnline-prod');
ALTER USER "FIRNLINE_PROD_PREVIEW" SET DEFAULT_ROLE = "FIRNLINE_PROD_PREVIEW";
