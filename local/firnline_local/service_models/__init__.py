"""The services' own models, as botocore ships them, judge each request to the embedded AWS and each of its answers.

`judge.py` is asked by whoever serves: what of a request the service's model refuses, and what of an answer it does not have.
Nothing here answers a request.
"""
