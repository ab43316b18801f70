"""Services that run jobs in the embedded environment: EMR Serverless, EMR on EC2, and what EMR on EKS and EKS know of a cluster.

One server has the faces of the services; what they are asked to run becomes processes of this machine (jobs/), with the
credentials of the job's role and nothing else.
"""
