/** What stdout gets: the answer, one object at the end, or one object a line as it happens. */
export const OUTPUT_FORMATS = ["text", "json", "stream-json"] as const;
export type OutputFormat = (typeof OUTPUT_FORMATS)[number];
