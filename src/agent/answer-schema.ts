/**
 * Whether an answer is JSON that fits a JSON Schema. Loaded on demand: only an agent whose answer has to fit one pays for it. It is
 * the agent that checks, and not its supervisor: a schema may have a pattern that takes for ever.
 */
import { Ajv, type ErrorObject, type Options } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import { AgentreeError } from "../core/errors.ts";
import { jsonOfAnswer } from "../core/json-answer.ts";
import { preview } from "../core/preview.ts";

export type CheckedAnswer =
	/** `text`: the JSON alone. */
	{ readonly is: "fits"; readonly text: string } | { readonly is: "wrong"; readonly problems: readonly string[] };

const MAX_PROBLEMS = 10;
const MAX_PROBLEM_CHARS = 300;

const OPTIONS: Options = { strict: false, allErrors: true, logger: false, validateFormats: false };

/** `schema`: the text of the file. `name`: what to call it. Throws AgentreeError("usage") for one that is no JSON Schema. */
export function answerChecker(schema: string, name: string): (answer: string) => CheckedAnswer {
	const validate = compiled(parsedSchema(schema, name), name);
	return (answer) => {
		const text = jsonOfAnswer(answer);
		const { value, problem } = parsed(text);
		if (problem !== undefined) return { is: "wrong", problems: [problem] };
		if (validate(value) === true) return { is: "fits", text };
		const problems = (validate.errors ?? []).map(problemIn);
		const more = problems.length - MAX_PROBLEMS;
		return { is: "wrong", problems: [...problems.slice(0, MAX_PROBLEMS), ...(more > 0 ? [`and ${more} more`] : [])] };
	};
}

function parsedSchema(text: string, name: string): object | boolean {
	const { value, problem } = parsed(text);
	if (problem !== undefined) throw new AgentreeError("usage", `${name}: ${problem}`);
	if (typeof value === "boolean" || (typeof value === "object" && value !== null && !Array.isArray(value)))
		return value;
	throw new AgentreeError("usage", `${name}: a JSON Schema is an object`);
}

/** The newest draft is assumed; the older ones, which name themselves, differ in a few keywords. */
function compiled(schema: object | boolean, name: string) {
	const { $schema = "", ...rest } = Object(schema) as { $schema?: unknown };
	const isOld = /draft-0[4-7]/.test(String($schema));
	const ajv = isOld ? new Ajv(OPTIONS) : new Ajv2020(OPTIONS);
	try {
		return ajv.compile(typeof schema === "boolean" ? schema : rest);
	} catch (error) {
		throw new AgentreeError(
			"usage",
			`${name}: it is no JSON Schema: ${preview((error as Error).message, MAX_PROBLEM_CHARS)}`,
		);
	}
}

function parsed(text: string): { value?: unknown; problem?: string } {
	try {
		return { value: JSON.parse(text) };
	} catch (error) {
		return { problem: `it is no JSON: ${preview((error as Error).message, MAX_PROBLEM_CHARS)}` };
	}
}

/** `at /files/0/size: must be integer` */
function problemIn({ instancePath, message = "does not fit", keyword, params }: ErrorObject): string {
	const where = instancePath === "" ? "the value" : `at ${instancePath}:`;
	const named = keyword === "additionalProperties" ? ` (${params.additionalProperty})` : "";
	const allowed = keyword === "enum" ? `: ${JSON.stringify(params.allowedValues)}` : "";
	return preview(`${where} ${message}${named}${allowed}`, MAX_PROBLEM_CHARS);
}
