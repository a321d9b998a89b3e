import { beforeEach, expect, test, vi } from "vitest";
import { cpuMs } from "../cpu-ms.ts";

/** The secrets are those of the process, so each test has a module of its own. */
let { keepSecrets, redact, redactKnown, redactedJson, redactedValue } = await import("../../../src/text/redact.ts");
beforeEach(async () => {
	vi.resetModules();
	({ keepSecrets, redact, redactKnown, redactedJson, redactedValue } = await import("../../../src/text/redact.ts"));
});

test("known secrets are taken out wherever they stand, the longest first, and as addresses write them", () => {
	keepSecrets(["sk-ant-1234", "sk-ant-1234-long", "p@ss/word1"]);
	expect(redactKnown("a sk-ant-1234-long b sk-ant-1234sk-ant-1234 c p@ss/word1 p%40ss%2Fword1")).toBe(
		"a [redacted] b [redacted][redacted] c [redacted] [redacted]",
	);
});

test("what is short or a plain word is no secret that could be told from a text", () => {
	keepSecrets(["", "k", "test-ke", "agent_joined", "password"]);
	const text = "k test-ke agent_joined password";
	expect(redactKnown(text)).toBe(text);
});

test("passwords in addresses are taken out of words, though not of content", () => {
	const words = 'at http://me:secret@h:1/x, (HTTPS://u:p%40@[::1]/) and "a://b:c","d":"e@f", http://h:80/a@b mail@h';
	expect(redact(words)).toBe(
		'at http://me:[redacted]@h:1/x, (HTTPS://u:[redacted]@[::1]/) and "a://b:c","d":"e@f", http://h:80/a@b mail@h',
	);
	expect(redactKnown(words)).toBe(words);
});

test("JSON parses whatever the secrets are, and its names are left", () => {
	const value = { agent: "1", text: ['x","y":"z1', "safe"], n: 1, none: null, key: 'he said "key-1"' };
	keepSecrets(['","y":"z1', 'he said "key-1"', "agent-is-none"]);
	expect(JSON.parse(redactedJson(value, "\t"))).toEqual({ ...value, text: ["x[redacted]", "safe"], key: "[redacted]" });
	expect(redactedJson({ a: [1] })).toBe('{"a":[1]}');
	expect(redactedValue({ text: 'he said "key-1"!' })).toEqual({ text: "[redacted]!" });
});

test("a long text takes no long time", () => {
	const redactAll = () => {
		for (const text of ["a", "a://", "a://b:", "://:@"]) redact(text.repeat(100_000));
	};
	expect(cpuMs(redactAll)).toBeLessThan(2_000);
});
