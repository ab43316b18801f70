"""Subjects of a bootstrap's policy statements, by Sid. A test wants one of each; docs/permissions.md shows them."""

from collections.abc import Mapping

DEPLOYER: Mapping[str, str] = {
    "BoundedRole": "The roles of the engine and of external volumes: only ever within the boundary below. There is no right "
    "to take it off.",
    "BoundedRolePolicy": "What these roles may do: only of roles within the boundary.",
    "BoundedUser": "The engine's user, with `trust: static-keys`: only ever within the boundary below.",
    "BoundedUserPolicyAttachment": "What that user may do: the one policy below and no other, only of a user within the "
    "boundary.",
    "OwnStream": "The streams that the specification makes. Adopted ones are left as they are, and are not in here.",
    "OwnStreamConsumer": "Consumers with a throughput of their own. AWS ends their ARN with the time of registration.",
    "OwnTable": "The ledger's table, and its companion while records are taken over from another consumer.",
    "OwnBucket": "The buckets of the engine and of external volumes, and their settings; not what is in them.",
    "OwnBucketObjectv2": "What the engine runs, and its configuration, in its bucket; not the checkpoint, and not what volumes "
    "hold. Each lies under its content's hash, and the stack sets it back to its content, so it may be overwritten.",
    "OwnRole": "What can't widen a role: its tags, its trust policy, reading it, removing it.",
    "OwnInstanceProfile": "With `trust: emr-ec2`, through what the machines of a cluster have the engine's role. "
    "No other role gets into it: HandOverEngineRole is asked for too.",
    "OwnUser": "What can't widen the engine's user: its tags, reading it, removing it. Its access keys are not in here.",
    "OwnPolicy": "The policy of the engine's user. It lies under a path that the boundary is not in.",
    "OwnSecret": "The secrets of the private keys, without the right to read them. AWS ends their ARN with six letters.",
    "OwnParameter": "The outputs that are published.",
    "OwnMetricAlarm": "The alarms.",
    "OwnTopic": "The topic of `alarms.notify`.",
    "OwnDashboard": "The dashboard, which belongs to no region.",
    "OwnLogGroup": "The group of the engine's logs; what is in it can't be read by this.",
    "OwnRepository": "The repository of the engine's images, on Kubernetes, where the specification names no image: it, and how "
    "many images it keeps.",
    "PushImage": "The same: the image of the engine that is deployed. A tag that is there can't be moved.",
    "LogInToRegistry": "A password for the account's registry, which opens what this role's own rights do, and no more.",
    "OwnSecurityGroup": "The group of the engine's workers. Its id is AWS's, so its tag says whose it is.",
    "MakeSecurityGroup": "A group can only be made with the tag by which it is ours.",
    "MakeSecurityGroupInVpc": "EC2 asks for the same right on the VPC that it is made in.",
    "TagNewSecurityGroup": "The tag, while it is made and at no other time: no other group can be taken.",
    "OwnApplication": "The application of EMR Serverless. Its id is AWS's, so its tag says whose it is.",
    "MakeApplication": "An application can only be made with the tag by which it is ours.",
    "TagNewApplication": "The tag, while it is made. AWS does not tell it from a tag that is given later: an application of "
    "the account that has no tag of ours could be given one, and then be changed, stopped or deleted. No data is in one, and a "
    "job there would still need a role that this deployer may hand over: its own engine's.",
    "ReachNetwork": "An application in a network has interfaces there; AWS asks for this in the name of who makes it, and gives "
    "it for nothing else.",
    "LetEmrServerlessIn": "AWS's own role for EMR Serverless, once an account, made with the first application.",
    "OwnVirtualCluster": "The virtual cluster of EMR on EKS. Its id is AWS's, so its tag says whose it is.",
    "MakeVirtualCluster": "A virtual cluster can only be made with the tag by which it is ours. Whether EMR may do anything in "
    "that namespace, the EKS cluster itself says.",
    "TagNewVirtualCluster": "The tag, while it is made. AWS does not tell it from a tag that is given later: a virtual cluster "
    "of the account that has no tag of ours could be given one, and then be deleted, or jobs be started in it, with the engine's "
    "role alone.",
    "LetEmrOnEksIn": "AWS's own role for EMR on EKS, once an account, made with the first virtual cluster.",
    "OwnCluster": "The cluster of EMR on EC2. Its id is AWS's, so its tag says whose it is; who ends it ends what runs there.",
    "MakeCluster": "A cluster can only be made with the tag by which it is ours. Its machines cost what they cost: neither their "
    "number nor their type can be limited by IAM. They are the engine's role and no other: HandOverEngineRole is asked for too.",
    "TagNewCluster": "The tag, while it is made. AWS does not tell it from a tag that is given later: a cluster of the account "
    "that has no tag of ours could be given one, and then be terminated, or be given steps that have the rights of its nodes. "
    "Where others' clusters are in the account, adopt one: then none of this is in the policy.",
    "HandOverServiceRole": "What EMR itself is while it makes machines (`emr_ec2.service_role`), handed to EMR and to no other.",
    "LetEmrCleanUp": "AWS's own role that removes machines of EMR that were left, once an account.",
    "FindCluster": "After a killed `up`, which cluster it was making; where the engine runs.",
    "OwnVpcEndpoint": "The VPC endpoints. Their ids are AWS's, so their tags say whose they are.",
    "MakeEndpoint": "An endpoint can only be made with the tag by which it is ours, of a service that is named.",
    "MakeEndpointInVpc": "EC2 asks for the same right on the VPC, of which the specification names one. With private DNS all of "
    "it is led to the endpoint.",
    "PlaceEndpoint": "The same on route tables and subnets, of which the specification names each.",
    "GuardEndpoint": "The same on the endpoints' security group, known by its tag.",
    "NameEndpoint": "Private DNS; asked for by EC2 in the name of who makes the endpoint, and given for nothing else.",
    "TagNewEndpoint": "The tag, while it is made and at no other time: no other endpoint can be taken.",
    "OwnPodIdentityAssociation": "The associations of the engine's service accounts, by their tag, in the one EKS cluster.",
    "MakeAssociation": "An association can only be made with the tag by which it is ours, in the EKS cluster that the "
    "specification names, and of no role but the engine's: HandOverEngineRole is asked for too.",
    "TagNewAssociation": "The tag, while it is made. AWS does not tell it from a tag that is given later: an association of "
    "that cluster that has no tag of ours could be given one, and then be removed, or lead to the engine's role.",
    "FindVirtualCluster": "Whether the namespace has one already; after a killed `up`, which it was making.",
    "FindAssociation": "The same for associations, in the one EKS cluster.",
    "Unbound": "What AWS can't narrow to one resource. In the environment's region alone.",
    "SeeStreams": "Adopted streams: whether they are there, before anything is made. They belong to another owner.",
    "SeeKey": "The adopted key, for the same.",
    "CompareKey": "The key that the bootstrap made, by its ARN. The deployer sees and uses it, and neither makes, changes "
    "nor removes a key.",
    "SeeBucket": "The adopted bucket, for the same.",
    "SeeRole": "The adopted role of the engine, for the same.",
    "FindApplication": "The same for an application of EMR Serverless.",
    "RegisterConsumers": "A consumer exists once it is registered: until then AWS asks for the right on its stream.",
    "EmptyUser": "`durability: EPHEMERAL` alone: a user can't be removed while it has keys.",
    "ListDevices": "The same. AWS lists the devices of all users, or of none.",
    "ListToEmpty": "`durability: EPHEMERAL` alone: a bucket can't be removed while anything is in it.",
    "Empty": "The same.",
    "RunEngine": "The application that the engine runs in, an adopted one by its ARN. Who may start a job chooses its "
    "program, and the program has the engine's role.",
    "SeeRuns": "The runs in it; of an adopted application all, because only a run that was looked at tells whose it is.",
    "CancelRuns": "The engine's runs, by the tag that they are started with.",
    "TagNewRun": "That tag, while a run is started. AWS does not tell it from a tag that is given later: in an adopted "
    "application a run of others that has no tag of ours could be given one, and then be cancelled.",
    "LookForJobs": "The virtual cluster that the engine is a job of, an adopted one by its ARN.",
    "StartJob": "The same, only with the tag by which a job is ours, and only with the engine's role. Who may start a job "
    "chooses its program, and the program has the engine's role.",
    "SeeJobs": "The jobs in it; of an adopted one all, because only a job that was looked at tells whose it is.",
    "CancelJob": "The engine's jobs, by the tag that they are started with.",
    "TagNewJob": "That tag, while a job is started. AWS does not tell it from a tag that is given later: a job of others in "
    "that virtual cluster that has no tag of ours could be given one, and then be cancelled.",
    "ReachPods": "The EKS cluster, where the specification names it: what may be done in it, its own rules say.",
    "SeeSteps": "The cluster of EMR on EC2 that the engine is a step of, an adopted one by its ARN.",
    "RunSteps": "The same. A step has neither an ARN nor tags: in a cluster that others use too, theirs could be cancelled, and "
    "whatever is started there has the rights of its nodes. Give the engine a cluster of its own.",
    "KeepDeployments": "One object for each deployment, which its deployer overwrites while it is at work; never removed.",
    "ReadLogs": "What EMR brings of the logs of driver and executors.",
    "SeeShards": "The ledger's table, the rows of streams alone: positions in shards, and no record of any. With SeeRun, how far "
    "the engine is.",
    "AskEngine": "The ledger's table, the items of the engine's own run and of streams' names, and no row of a shard. Who "
    "wrote more there than a request could end a run, or mislead the next one about a stream; what is proven can't be written.",
    "HandOverEngineRole": "Who starts a job, or makes an instance profile or an association, hands the engine's role to the "
    "service that runs it, and to no other.",
    "EncryptStreams": "The environment's key, which Kinesis counts among what these two actions are about.",
    "KeyThroughDynamodb": "The environment's key, an adopted one by its ARN; only through DynamoDB, so that nothing "
    "can be decrypted with it directly.",
    "KeyThroughEcr": "The same, only through ECR, which keeps grants of its own for images.",
    "KeyThroughS3": "The same, only through S3.",
    "SeeRun": "The ledger's table, only the items of the engine's own run, and of streams' names: what it runs with, compared by "
    "`firnline drift`, whether it lives, and which rows are a stream's.",
    "ListState": "The bucket of Pulumi's state.",
    "State": "Pulumi's state in it. It holds no secret: none is ever given to Pulumi.",
    "StateKey": "The key of that bucket, which also is what Pulumi encrypts with where it is asked to.",
}

KEY_KEEPER: Mapping[str, str] = {
    "KeepPrivateKeys": "The secrets of the private keys.",
    "KeyOfSecrets": "An adopted key, only through Secrets Manager. The bootstrap's own is for no secret.",
    "FindEnvironmentKey": "The key that the bootstrap made.",
    "SeeRun": "The ledger's table, only the item of the engine's own run.",
    "KeyOfLedger": "The table's key, only through DynamoDB, only for this table.",
    "KeepAccessKey": "With `trust: static-keys`: a secret of its own for the engine's access key.",
    "MakeAccessKey": "With `trust: static-keys`: the engine's user.",
}

LETTER_REPLAYER: Mapping[str, str] = {
    "ListLetters": "The bucket, only the names in the dead letters' folder.",
    "ReadLetters": "Objects in the dead letters' folder.",
    "KeepReplays": "What lies beside the dead letters, in a folder that holds none.",
    "KeyOfLetters": "The bucket's key, only through S3.",
    "ReadLetterStream": "With `dead_letters.stream`: that stream. From it dead letters are brought into a folder.",
    "KeyOfLetterStream": "That stream's key, only through Kinesis, only for its records.",
    "SeeLedger": "The ledger's table. Nothing is written into it.",
    "KeyOfLedger": "The table's key, only through DynamoDB, only for this table.",
    "OpenPrivateKey": "The secret of the engine's private key. AWS ends its ARN with six letters.",
    "KeyOfPrivateKey": "An adopted key, only through Secrets Manager.",
    "ReadSchemas": "Every schema of the account, as for the engine: a record names a version and not its registry.",
    "ReadRegistryLogins": "The secrets that `registry.login` of a format names.",
    "DecryptRegistryLogins": "Their keys, only through Secrets Manager, only for these secrets.",
}
