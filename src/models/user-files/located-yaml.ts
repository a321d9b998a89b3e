/** YAML values that know where they stand, so that whatever is wrong with one is told with file, line and column. */
import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from "yaml";
import { AgentreeError } from "../../core/errors.ts";

type Fail = (problem: string) => never;

export interface Located {
	/** Throws AgentreeError("script") with this value's place. */
	readonly fail: Fail;
	/** The values under these keys; any other key fails. */
	map(keys: readonly string[]): Record<string, Located | undefined>;
	/** The values under any keys, in their order. */
	entries(): { key: string; value: Located }[];
	list(): Located[];
	isList(): boolean;
	isMap(): boolean;
	/** A text; also a number or a boolean, as it is written. */
	string(): string;
	/** One of these words. */
	oneOf<const T extends string>(known: readonly T[]): T;
	/** A whole number that is not negative. */
	count(): number;
	/** Any number. */
	number(): number;
	/** The value as plain data, as JSON has it. */
	data(): unknown;
}

/** Throws AgentreeError("script"), one line, at the first syntax error. */
export function parseLocated(text: string, file: string): Located {
	const lines = new LineCounter();
	const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
	const failAt = (offset: number, problem: string): never => {
		const { line, col } = lines.linePos(offset);
		throw new AgentreeError("script", `${file}:${line}:${col}: ${problem.replace(/\s+/g, " ")}`);
	};
	const [error] = document.errors;
	if (error !== undefined) failAt(error.pos[0], error.message);
	return locate(document.contents, { document, failAt, offset: 0 });
}

interface ResolvedParent {
	document: Document;
	failAt: (offset: number, problem: string) => never;
	/** The place that an error names when the value itself is absent. */
	offset: number;
}

function locate(written: unknown, place: ResolvedParent): Located {
	const node = (isAlias(written) ? written.resolve(place.document) : written) as Node | null | undefined;
	const offset = (written as Node | null)?.range?.[0] ?? place.offset;
	const fail: Fail = (problem) => place.failAt(offset, problem);
	const inner = (value: unknown) => locate(value, { ...place, offset });
	const scalar = isScalar(node) ? node.value : undefined;
	const string = () => {
		if (typeof scalar === "string") return scalar;
		if (typeof scalar === "number" || typeof scalar === "boolean")
			return (isScalar(node) && node.source) || String(scalar);
		return fail("a text is expected");
	};
	return {
		fail,
		string,
		oneOf: (known) => known.find((word) => word === string()) ?? fail(`one of ${known.join(", ")} is expected`),
		isList: () => isSeq(node),
		isMap: () => isMap(node),
		data: () => plain(() => node?.toJS(place.document), fail),
		list: () => (isSeq(node) ? node.items.map(inner) : fail("a list is expected")),
		map: (keys) =>
			isMap(node) ? valuesOf(node.items, { keys, inner, failAt: place.failAt }) : fail(mapExpected(keys)),
		entries: () =>
			isMap(node)
				? node.items.map(({ key, value }) => ({
						key: isScalar(key) ? String(key.value) : "?",
						value: locate(value, { ...place, offset: (key as Node).range?.[0] ?? offset }),
					}))
				: fail("a mapping is expected"),
		number: () => (typeof scalar === "number" ? scalar : fail("a number is expected")),
		count: () =>
			typeof scalar === "number" && Number.isSafeInteger(scalar) && scalar >= 0
				? scalar
				: fail("a whole number is expected"),
	};
}

/** Fails for an alias that points at what it stands in, or that makes a small file endless. */
function plain(value: () => unknown, fail: Fail): unknown {
	try {
		return JSON.parse(JSON.stringify(value()) ?? "null");
	} catch {
		return fail("plain data is expected");
	}
}

function mapExpected(keys: readonly string[]): string {
	return `a mapping with ${keys.join(", ")} is expected`;
}

function valuesOf(
	items: readonly { key: unknown; value: unknown }[],
	by: { keys: readonly string[]; inner: (value: unknown) => Located; failAt: ResolvedParent["failAt"] },
): Record<string, Located | undefined> {
	const values: Record<string, Located> = {};
	for (const { key, value } of items) {
		const name = isScalar(key) ? String(key.value) : "?";
		const offset = (key as Node).range?.[0] ?? 0;
		if (!by.keys.includes(name)) by.failAt(offset, `unknown key "${name}"; known here: ${by.keys.join(", ")}`);
		values[name] = by.inner(value);
	}
	return values;
}
