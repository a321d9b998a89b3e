import { expect, test } from "vitest";
import { foreignKeys } from "../../../src/models/secrets-in.ts";

const HOSTS = [{ name: "lab", baseUrl: "http://h", keyVariables: ["LAB_KEY"] }];
const keysIn = (value: unknown) => foreignKeys(JSON.stringify(value), HOSTS);

test("keys are found by the names of variables and of services, in the forms that tools write", () => {
	expect(keysIn({ OPENAI_API_KEY: "a", tokens: { access_token: "login" } })).toEqual({ OPENAI_API_KEY: "a" });
	expect(keysIn({ anthropic: { type: "api", key: "b" }, deepseek: "c", Lab: { apiKey: "d" } })).toEqual({
		...{ ANTHROPIC_API_KEY: "b", DEEPSEEK_API_KEY: "c", LAB_KEY: "d" },
	});
});

test("a login, an unknown service, an empty key, and what is no object have none", () => {
	expect(keysIn({ claudeAiOauth: { accessToken: "login" }, nobody: "x", openai: "", groq: null })).toEqual({});
	expect([keysIn([1]), foreignKeys("KEY=x", HOSTS), foreignKeys("", HOSTS)]).toEqual([undefined, undefined, undefined]);
});
