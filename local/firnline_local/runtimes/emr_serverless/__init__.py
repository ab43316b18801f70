"""EMR Serverless as boto3's client speaks to it: requests are held against the service's own model (botocore), and a job run
is run.
"""
