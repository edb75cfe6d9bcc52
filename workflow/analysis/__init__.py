"""From records to tables, caveats, figures and the report. Never imports what measures; the record
is the contract.
"""
