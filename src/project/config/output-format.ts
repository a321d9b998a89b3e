/** The formats of stdout: the answer, one object at the end, or an object a line as things happen. */
export const OUTPUT_FORMATS = ["text", "json", "stream-json"] as const;
export type OutputFormat = (typeof OUTPUT_FORMATS)[number];
