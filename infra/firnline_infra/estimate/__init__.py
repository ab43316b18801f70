"""What an environment's engine needs and costs, on paper, before anything is made. Pure; no account is asked."""
