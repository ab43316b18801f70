"""IAM as the embedded AWS does not have it by itself: which actions each call needs, who may do them, and who called what.

`aws.py` and `kinesis.py` are the two servers with that in front; `running.py` is what tests do with them.
"""
