# Real data for trainings to the end: fetched before anything is timed, where it is asked for.
#
# The file itself is no output: one that cannot be fetched is said, and the trainings that lack it
# say so.

for dataset in trainings.datasets(PLAN):

    rule:
        """A data set, or why it is not there."""
        name:
            f"data_{dataset.name}"
        output:
            trainings.marker(dataset),
        log:
            f"{RESULTS}/logs/data/{dataset.name}.log",
        priority: 1_600_000
        localrule: True
        resources:
            machine_percent=1,
            folder=trainings.FOLDER,
        params:
            dataset=dataset.name,
            sha256=dataset.sha256,
        shell:
            program(
                "datasets",
                "--name {params.dataset} --folder {resources.folder} --outcome {output}"
                " 2> >(tee {log} >&2)",
            )
