"""One table for each service of the embedded AWS, after its page in the AWS Service Authorization Reference."""
