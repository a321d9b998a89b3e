import { expect, test } from "vitest";
import { foreignKeys, secretsIn } from "../../../src/models/secrets-in.ts";

test("secret are keys, values of headers, and passwords in addresses of services and proxies", () => {
	expect(
		secretsIn({
			ANTHROPIC_API_KEY: "the-key",
			ANTHROPIC_AUTH_TOKEN: "",
			ANTHROPIC_CUSTOM_HEADERS: "x-project: my-project-1\nx-gateway-key: one\nauthorization: Bearer two",
			ANTHROPIC_BASE_URL: "http://me:p%40ss@h/",
			https_proxy: "proxy:word@h:3128",
			HTTP_PROXY: "http://h:3128",
			PATH: "/bin",
		}),
	).toEqual([
		...["the-key", "one", "Bearer two", "two"],
		...["me:p%40ss", "p%40ss", "p@ss", Buffer.from("me:p@ss").toString("base64")],
		...["proxy:word", "word", "word", Buffer.from("proxy:word").toString("base64")],
	]);
});

test("secret are also headers and queries of services in the configuration file, and the variables that they name", () => {
	const host = { name: "lab", baseUrl: "http://h/v1?api-version=1&key=of-the-query" };
	const headers = { "api-key": "written-there", "x-token": "$LAB_TOKEN", "x-project": "mine" };
	expect(secretsIn({ LAB_TOKEN: "the-token" }, [{ ...host, headers }])).toEqual([
		...["the-token", "written-there", "of-the-query"],
	]);
});

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
