"""Options of each runtime, section `aws.runtime` of a specification: a file a runtime. firnline_infra/runtimes obeys them."""
