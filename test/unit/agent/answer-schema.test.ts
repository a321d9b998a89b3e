import { expect, test } from "vitest";
import { answerChecker } from "../../../src/agent/answer-schema.ts";

const check = (schema: object, answer: string) => answerChecker(JSON.stringify(schema), "s.json")(answer);
const D2019 = "https://json-schema.org/draft/2019-09/schema";
const TUPLE = { items: [{ type: "integer" }], additionalItems: false };
const TREE = { $recursiveAnchor: true, properties: { below: { $recursiveRef: "#" }, n: { type: "integer" } } };

// Each seen to fail ("no JSON Schema: data/items must be object") with the newest draft alone.
test.each<[string, object, string, string]>([
	["of 2019-09", { $schema: D2019, ...TUPLE }, "[1]", "[true]"],
	["that is recursive, of 2019-09", { $schema: D2019, ...TREE }, '{"below":{"n":1}}', '{"below":{"n":true}}'],
	["of 2020-12", { prefixItems: [{ type: "integer" }] }, "[1]", "[true]"],
	["without a name, as of draft 7", TUPLE, "[1]", "[true]"],
])("a schema %s is held against answers", (_, schema, good, bad) => {
	expect(check(schema, good)).toEqual({ is: "fits", text: good });
	expect(check(schema, bad)).toMatchObject({ is: "wrong" });
});

// Seen to fail: the answer was taken, and the run ended by a bug when it was written as JSON.
test("an answer that is nested too deep to be written again does not fit", () => {
	const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels);
	expect(check({}, nested(400))).toMatchObject({ is: "fits" });
	expect(check({}, nested(20_000))).toEqual({ is: "wrong", problems: ["it is nested more than 500 levels deep"] });
});

test.each([
	["a draft that it names and does not fit", { $schema: "http://json-schema.org/draft-07/schema#", items: 3 }],
	["no draft at all", { items: 3 }],
	["something that is not of JSON Schema", { $async: true, type: "integer" }], // seen to fail: no answer ever fits
])("a schema of %s is wrong usage", (_, schema) => {
	expect(() => check(schema, "1")).toThrow(/^s\.json: it is no JSON Schema: /);
});
