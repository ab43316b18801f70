"""The component package: one component, `Environment`, for programs in every language that Pulumi has."""
