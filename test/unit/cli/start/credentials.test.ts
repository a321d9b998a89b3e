import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readCredentials } from "../../../../src/cli/start/credentials.ts";

const KEY = { ANTHROPIC_API_KEY: "key-of-environment" };
const TOKEN = { ANTHROPIC_AUTH_TOKEN: "token-of-file" };
const [HERE, THERE] = ["http://127.0.0.1:1", "http://127.0.0.1:2"].map((url) => ({ ANTHROPIC_BASE_URL: url }));
const HEADERS = { ANTHROPIC_CUSTOM_HEADERS: "x-gateway: secret" };

function fileOf(variables: object): string {
	const directory = mkdtempSync(join(tmpdir(), "agentree-credentials-"));
	onTestFinished(() => rmSync(directory, { recursive: true }));
	const path = join(directory, "my.env");
	writeFileSync(
		path,
		Object.entries(variables)
			.map(([name, value]) => `${name}="${value}"\n`)
			.join(""),
	);
	return path;
}

test("without a file, or with one that has nothing of a provider, the credentials are the environment's", () => {
	const env = { ...KEY, ...HERE, ...HEADERS, PATH: "/bin" };
	const { PATH: _, ...credentials } = env;
	expect(readCredentials(env, {})).toEqual(credentials);
	expect(readCredentials(env, { envFile: fileOf({ OTHER: "x", ANTHROPIC_AUTH_TOKEN: "" }) })).toEqual(credentials);
});

// Seen to fail (the key of the environment goes to the address of the file) when the file's variables were laid over it.
test("a key of the file replaces all credentials of the environment", () => {
	expect(readCredentials({ ...KEY, ...HERE, ...HEADERS }, { envFile: fileOf({ ...TOKEN, ...THERE }) })).toEqual({
		...TOKEN,
		...THERE,
	});
	expect(readCredentials({ ...KEY, ...HEADERS }, { envFile: fileOf(TOKEN) })).toEqual(TOKEN);
});

test("a key of a file that names no address goes to the person's own, without what else the environment has", () => {
	expect(readCredentials({ ...KEY, ...HERE, ...HEADERS }, { envFile: fileOf(TOKEN) })).toEqual({ ...TOKEN, ...HERE });
});

test.each([
	[
		"an address of a file",
		KEY,
		THERE,
		/^--env-file \S+ sets ANTHROPIC_BASE_URL but no key, and a key from the environment is not used/,
	],
	["headers of a file", KEY, HEADERS, /^--env-file \S+ sets ANTHROPIC_CUSTOM_HEADERS but no key/],
])("no key is used with %s that it was not given with", (_, env, file, message) => {
	expect(() => readCredentials(env ?? {}, { envFile: fileOf(file ?? {}) })).toThrow(
		expect.objectContaining({ code: "usage", message: expect.stringMatching(message) }),
	);
});

test("an address of a file without any key is just that", () => {
	expect(readCredentials({}, { envFile: fileOf(THERE ?? {}) })).toEqual(THERE);
});
