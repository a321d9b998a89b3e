import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { expect, test } from "vitest";
import { loadModel } from "../../../src/models/model-by-name.ts";

const load = (name: string, credentials = {}) =>
	loadModel(name, { credentials, cwd: "/nowhere", maxSilenceMs: 1000, now: () => 0 });

test("shell needs nothing", async () => {
	expect((await load("shell")).name).toBe("shell");
});

test("a model of the service needs a key, and without one a single line says what to do", async () => {
	const model = await load("claude-sonnet-5-5", { apiKey: "key" });
	expect(model.name).toBe("claude-sonnet-5-5");
	model.close();
	await expect(load("claude-sonnet-5-5", { apiKey: "" })).rejects.toMatchObject({
		code: "key_missing",
		exitCode: 77,
		message:
			"no key for the model claude-sonnet-5-5: set ANTHROPIC_API_KEY, or name a file that has it with --env-file; without a key try: agent demo",
	});
});

test("an unknown name is a usage error that lists what there is", async () => {
	await expect(load("gpt")).rejects.toMatchObject({
		code: "usage",
		message: expect.stringMatching(/^unknown model "gpt"; known: .*claude-sonnet-5-5.*, shell, script:FILE$/),
	});
	await expect(load("script:")).rejects.toMatchObject({ code: "usage" });
	await expect(load("script:claude.yaml")).rejects.toMatchObject({ code: "script" });
});

test("a key that no header can carry is refused without being repeated, and so is an address that is none", async () => {
	const refused = await load("claude-opus-5", { apiKey: "sk-secret\n" }).catch((error: Error) => error);
	expect(refused).toMatchObject({ code: "usage", message: expect.not.stringContaining("secret") });
	for (const baseUrl of ["localhost:80", "http://", "ftp://host"])
		await expect(load("claude-opus-5", { apiKey: "k", baseUrl })).rejects.toMatchObject({
			code: "usage",
			message: `ANTHROPIC_BASE_URL "${baseUrl}" is no http or https address`,
		});
});

test("asking for shell loads neither the SDK nor the YAML reader", async () => {
	const entry = fileURLToPath(new URL("../../../src/models/model-by-name.ts", import.meta.url));
	const bundle = await build({
		entryPoints: [entry],
		bundle: true,
		splitting: true,
		format: "esm",
		platform: "node",
		outdir: "/nowhere",
		write: false,
		metafile: true,
		logLevel: "silent",
	});
	const outputs = Object.entries(bundle.metafile.outputs);
	const byName = new Map(outputs);
	const loadedWith = (name: string): string[] => {
		const output = byName.get(name);
		const imports = output?.imports.filter(({ kind }) => kind === "import-statement") ?? [];
		return [...Object.keys(output?.inputs ?? {}), ...imports.flatMap(({ path }) => loadedWith(path))];
	};
	const [first] = outputs.find(([, output]) => output.entryPoint?.endsWith("model-by-name.ts")) ?? [""];
	const loaded = loadedWith(first).join("\n");
	expect(loaded).toContain("src/models/shell.ts");
	expect(loaded).not.toMatch(/node_modules|anthropic\.ts|script\.ts/);
	const all = outputs.flatMap(([, output]) => Object.keys(output.inputs)).join("\n");
	expect(all).toMatch(/node_modules\/@anthropic-ai\/sdk/); // else this test could not fail
	expect(all).toMatch(/node_modules\/yaml/);
});
