"""From a DataFrame to what people read: CSV, Parquet, tables of the page."""
