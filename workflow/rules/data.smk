# Real data for trainings to the end: fetched before anything is timed, if it is asked for.
#
# The file itself is no output: if it cannot be fetched, that is told, and the trainings that lack
# it say so.

for dataset in trainings.datasets(PLAN):

    rule:
        """Fetch a data set, or write down why it could not be fetched."""
        name:
            f"data_{dataset.name}"
        input:
            JOBS.unfetched(trainings.marker(dataset)),
        output:
            trainings.marker(dataset),
        log:
            f"{RESULTS}/logs/data/{dataset.name}.log",
        priority: 1_600_000
        localrule: True
        resources:
            machine_percent=UNTIMED,
        params:
            dataset=dataset.name,
            sha256=dataset.sha256,
        shell:
            program(
                "datasets",
                f"--name {{params.dataset}} --folder {trainings.FOLDER} --outcome {{output}}"
                " 2> >(tee {log} >&2)",
            )
