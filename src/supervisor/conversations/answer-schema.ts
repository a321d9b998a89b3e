/**
 * Whether an answer is JSON that fits a JSON Schema. It runs in a thread of the supervisor (check-answer.ts), which is started for
 * each answer that has to fit one: a schema may have a pattern that takes forever.
 */
import { Ajv, type ErrorObject, type Options } from "ajv";
import { Ajv2019 } from "ajv/dist/2019.js";
import { Ajv2020 } from "ajv/dist/2020.js";
import { AgentreeError } from "../../core/errors.ts";
import { isDeeper } from "../../core/json-value.ts";
import { jsonValuesIn } from "../../core/model/json-answer.ts";
import { preview } from "../../core/preview.ts";

export type CheckedAnswer =
	/** `text`: the JSON alone. */
	{ readonly is: "fits"; readonly text: string } | { readonly is: "wrong"; readonly problems: readonly string[] };

const MAX_PROBLEMS = 10;
const MAX_PROBLEM_CHARS = 300;
const MAX_VALUES = 100; // between the words of one answer
const MAX_DEPTH = 500; // what checks a value, or writes it again, calls itself for each level

const OPTIONS: Options = { strict: false, allErrors: true, logger: false, validateFormats: false };

/** `schema`: the text of the file. `name`: what to call it. Throws AgentreeError("usage") for one that is no JSON Schema. */
export function answerChecker(schema: string, name: string): (answer: string) => CheckedAnswer {
	const validate = compiled(parsedSchema(schema, name), name);
	const check = (text: string): CheckedAnswer => {
		const { value, problem } = parsed(text);
		if (problem !== undefined) return { is: "wrong", problems: [problem] };
		if (isDeeper(value, MAX_DEPTH))
			return { is: "wrong", problems: [`it is nested more than ${MAX_DEPTH} levels deep`] };
		if (validate(value) === true) return { is: "fits", text };
		const problems = (validate.errors ?? []).map(problemIn);
		const more = problems.length - MAX_PROBLEMS;
		return { is: "wrong", problems: [...problems.slice(0, MAX_PROBLEMS), ...(more > 0 ? [`and ${more} more`] : [])] };
	};
	return (answer) => theOneOf(answer, check);
}

/** What stands between words counts when exactly one value fits, however often it is written. */
function theOneOf(answer: string, check: (text: string) => CheckedAnswer): CheckedAnswer {
	const values = jsonValuesIn(answer).slice(0, MAX_VALUES);
	const checked = values.map(check);
	const fitting = checked.flatMap((one) => (one.is === "fits" ? [one.text] : []));
	const [first, ...others] = new Set(fitting.map((text) => JSON.stringify(JSON.parse(text))));
	const [text] = fitting;
	if (first !== undefined && text !== undefined && others.length === 0) return { is: "fits", text };
	if (others.length > 0) return { is: "wrong", problems: [`${others.length + 1} different values in it match`] };
	return (checked.length === 1 ? checked[0] : undefined) ?? check(answer.trim());
}

function parsedSchema(text: string, name: string): object | boolean {
	const { value, problem } = parsed(text);
	if (problem !== undefined) throw new AgentreeError("usage", `${name}: ${problem}`);
	if (typeof value === "boolean" || (typeof value === "object" && value !== null && !Array.isArray(value)))
		return value;
	throw new AgentreeError("usage", `${name}: a JSON Schema is an object`);
}

type Draft = new (options: Options) => Pick<Ajv, "compile">;

/** A schema that names none may be of the newest draft, or else of the last that had lists under `items`. */
function draftsOf($schema: string): readonly Draft[] {
	if (/draft-0[4-7]/.test($schema)) return [Ajv];
	if ($schema.includes("2019-09")) return [Ajv2019];
	return $schema === "" ? [Ajv2020, Ajv] : [Ajv2020];
}

function compiled(schema: object | boolean, name: string) {
	const { $schema = "", ...rest } = Object(schema) as { $schema?: unknown };
	let first: unknown;
	for (const Draft of draftsOf(String($schema)))
		try {
			const validate = new Draft(OPTIONS).compile(typeof schema === "boolean" ? schema : rest);
			if ("$async" in validate) throw new Error("$async is not part of JSON Schema");
			return validate;
		} catch (error) {
			first ??= error;
		}
	const why = preview((first as Error).message, MAX_PROBLEM_CHARS);
	throw new AgentreeError("usage", `${name}: not a JSON Schema: ${why}`);
}

function parsed(text: string): { value?: unknown; problem?: string } {
	try {
		return { value: JSON.parse(text) };
	} catch (error) {
		return { problem: `not JSON: ${preview((error as Error).message, MAX_PROBLEM_CHARS)}` };
	}
}

/** `at /files/0/size: must be integer` */
function problemIn({ instancePath, message = "does not match", keyword, params }: ErrorObject): string {
	const where = instancePath === "" ? "the value" : `at ${instancePath}:`;
	const named = keyword === "additionalProperties" ? ` (${params.additionalProperty})` : "";
	const allowed = keyword === "enum" ? `: ${JSON.stringify(params.allowedValues)}` : "";
	return preview(`${where} ${message}${named}${allowed}`, MAX_PROBLEM_CHARS);
}
