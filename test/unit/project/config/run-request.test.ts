import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { AgentreeError } from "../../../../src/core/errors.ts";
import { LIMIT_TABLE } from "../../../../src/core/limits/limits.ts";
import { bytesNotice, refuseOtherArguments, variablesNotUtf8 } from "../../../../src/project/config/not-utf8.ts";
import type { OptionValues } from "../../../../src/project/config/option-table.ts";
import { refuseRef } from "../../../../src/project/config/run-names.ts";
import { readRunRequest } from "../../../../src/project/config/run-request.ts";
import { formerDirectory, workingDirectory } from "../../../../src/project/config/working-directory.ts";

function read(values: OptionValues, env: Record<string, string> = {}, task: string | undefined = "count") {
	return readRunRequest(task, values, { env, cwd: () => "/usr" });
}

/** The usage error that reading gives. */
function complaint(values: OptionValues, env: Record<string, string> = {}, task?: string): string {
	try {
		read(values, env, task);
	} catch (error) {
		if (!(error instanceof AgentreeError)) throw error;
		expect([error.code, error.exitCode]).toEqual(["usage", 2]);
		expect(error.message).not.toContain("\n");
		return error.message;
	}
	throw new Error("it was read");
}

test("nothing said is nothing asked for", () => {
	expect(read({})).toEqual({
		...{ task: "count", model: undefined, effort: undefined, cwd: "/usr", startedIn: "/usr", systemPrompt: undefined },
		...{ appendSystemPrompt: undefined, outputFormat: undefined, envFile: undefined, compactAt: undefined },
		...{ limits: {}, isQuiet: false, isVerbose: false, keepsBackground: false },
	});
});

test("every limit is read from its flag, and from its variable when there is no flag", () => {
	const given = { time: ["2m", 120_000, "9h"], count: ["7", 7, "99"], usd: ["0.25", 0.25, "9.5"] } as const;
	for (const { key, flag, variable, unit } of LIMIT_TABLE) {
		const [text, value, other] = given[unit];
		expect(read({ [flag]: text }).limits).toEqual({ [key]: value });
		expect(read({}, { [variable]: text }).limits).toEqual({ [key]: value });
		expect(read({ [flag]: text }, { [variable]: other }).limits).toEqual({ [key]: value });
		expect(read({}, { [variable]: "" }).limits).toEqual({});
	}
});

test("the least value of each limit is taken, and what is below it is not", () => {
	for (const { key, flag, least, unit } of LIMIT_TABLE) {
		if (unit !== "count") continue;
		expect(read({ [flag]: String(least) }).limits).toEqual({ [key]: least });
		expect(complaint({ [flag]: String(least - 1) })).toBe(
			`--${flag} must be a whole number of ${least} or more, not "${least - 1}"`,
		);
	}
});

test.each(["", "x", "1.5", "1e3", "0x10", " 3", "3 ", "-1", "+3", "99999999999999999999", "NaN", "Infinity", "٣"])(
	"%j is no number of turns",
	(value) => {
		expect(complaint({ "max-turns": value })).toBe(`--max-turns must be a whole number of 1 or more, not "${value}"`);
	},
);

test.each(["0s", "90", "soon", "", "-1h"])("%j is no time", (value) => {
	expect(complaint({ "max-time": value })).toBe(`--max-time must be a time such as 90s, 30m or 2h, not "${value}"`);
});

test.each(["0", "0.0000001", "-1", "$5", "1e3", "", "x", "1.", "1,5", "NaN", "Infinity"])(
	"%j are no dollars",
	(value) => {
		expect(complaint({ "max-budget-usd": value })).toBe(
			`--max-budget-usd must be an amount of dollars such as 5 or 0.50, not "${value}"`,
		);
	},
);

test("a wrong value in a variable is named by the variable", () => {
	expect(complaint({}, { AGENTREE_MAX_DEPTH: "deep" })).toBe(
		'AGENTREE_MAX_DEPTH must be a whole number of 0 or more, not "deep"',
	);
	expect(complaint({}, { AGENTREE_MAX_TIME: "60" })).toContain("AGENTREE_MAX_TIME must be a time");
});

test("the model comes from the flag, else from our variable, else from the vendor's", () => {
	const env = { AGENTREE_MODEL: "ours", ANTHROPIC_MODEL: "theirs" };
	expect(read({ model: "shell" }, env).model).toBe("shell");
	expect(read({}, env).model).toBe("ours");
	expect(read({}, { ...env, AGENTREE_MODEL: "" }).model).toBe("theirs");
	expect(complaint({ model: " " })).toContain("--model needs a model name");
	expect(complaint({ model: "" })).toContain("--model needs a model name");
});

test("the directory to work in must be one, and is made absolute", () => {
	const directory = mkdtempSync(join(tmpdir(), "agentree-options-"));
	onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
	mkdirSync(join(directory, "sub"));
	writeFileSync(join(directory, "file"), "");
	const from = (cd: string) => readRunRequest("x", { cd }, { env: {}, cwd: () => directory }).cwd;
	expect(from("sub")).toBe(join(directory, "sub"));
	expect(() => from("none")).toThrow("--cd none: no such directory");
	expect(() => from("file")).toThrow("--cd file: no such directory");
	expect(() => from("file/below")).toThrow("--cd file/below: no such directory");
	expect(() => from("")).toThrow(AgentreeError);
});

test("an absolute directory needs no working directory, and everything else asks for it", () => {
	const cwd = () => {
		throw new Error("gone");
	};
	expect(readRunRequest("x", { cd: "/usr" }, { env: {}, cwd })).toMatchObject({ cwd: "/usr", startedIn: undefined });
	for (const values of [{}, { cd: "sub" }, { cd: "/usr", "env-file": "a" }])
		expect(() => readRunRequest("x", values, { env: {}, cwd })).toThrow("gone");
});

// The superuser may enter every directory.
test.skipIf(process.getuid?.() === 0)("a directory that may not be entered is refused, named or not", () => {
	const directory = mkdtempSync(join(tmpdir(), "agentree-options-"));
	onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
	chmodSync(directory, 0o600);
	const place = { env: {}, cwd: () => directory };
	expect(() => readRunRequest("x", {}, place)).toThrow(`the working directory ${directory}: permission denied`);
	expect(() => readRunRequest("x", { cd: directory }, place)).toThrow(`--cd ${directory}: permission denied`);
});

test("an empty task is refused, a dash and no task are left for stdin", () => {
	expect(complaint({}, {}, " \n")).toContain("the task is empty");
	expect(complaint({}, {}, "")).toContain("the task is empty");
	expect(read({}, {}, "-").task).toBe("-");
	expect(readRunRequest(undefined, {}, { env: {}, cwd: () => "/usr" }).task).toBeUndefined();
});

test("the share at which older messages are replaced is a number below 1, a percentage, or off", () => {
	const shares = { "0.8": 0.8, ".5": 0.5, "80%": 0.8, "0.5%": 0.005, "0": 0, "0%": 0, off: 0 };
	for (const [text, share] of Object.entries(shares)) expect(read({ "compact-at": text }).compactAt).toBe(share);
	expect(read({}, { AGENTREE_COMPACT_AT: "30%" }).compactAt).toBe(0.3);
	expect(read({ "compact-at": "0.4" }, { AGENTREE_COMPACT_AT: "30%" }).compactAt).toBe(0.4);
	expect(read({}, { AGENTREE_COMPACT_AT: "" }).compactAt).toBe(undefined);
	for (const text of ["", "1", "100%", "80", "-0.1", "x", ".", "%", "1e-1", "never"])
		expect(complaint({ "compact-at": text })).toBe(
			`--compact-at must be a share of the context below 1, such as 0.8 or 80%, or off, not "${text}"`,
		);
	expect(complaint({}, { AGENTREE_COMPACT_AT: "2" })).toMatch(/^AGENTREE_COMPACT_AT must be a share/);
});

const gone = () => {
	throw Object.assign(new Error("ENOENT: no such file or directory, uv_cwd"), { code: "ENOENT" });
};

test("a working directory that is gone is a usage error of one line", () => {
	expect(() => workingDirectory(gone)).toThrow(
		/^the working directory no longer exists \(ENOENT\): cd to another, or pass one with --cd$/,
	);
	expect(workingDirectory(() => "/here")).toBe("/here");
});

test("who only looks gets the name that the shell had for it, and leaves it", () => {
	const left: string[] = [];
	const chdir = (to: string) => void left.push(to);
	expect(formerDirectory({ cwd: gone, chdir }, "/was/here")).toBe("/was/here");
	expect(formerDirectory({ cwd: gone, chdir }, "relative")).toBe("/");
	expect(formerDirectory({ cwd: gone, chdir }, undefined)).toBe("/");
	expect(left).toEqual(["/", "/", "/"]);
	expect(formerDirectory({ cwd: () => "/here", chdir }, "/was/here")).toBe("/here");
	expect(left).toHaveLength(3);
});

test.each(["1", "1.2", "1.12.3", " 1.2\n"])("%j is an agent, and no task", (word) => {
	const ref = word.trim();
	expect(() => refuseRef(word)).toThrow(
		`"${ref}" is an agent, not a task; did you mean agent show ${ref}, agent log ${ref}, agent why ${ref}, agent stop ${ref}`,
	);
});

test.each(["20261127-201530-k3f9", "20261127-201530-k3f9/1.2", "20261127", "20261127-20", "20261127-201530-"])(
	"%s is a run, and no task",
	(word) => expect(() => refuseRef(word)).toThrow(`"${word}" is a run, not a task; did you mean agent ps `),
);

test("the last characters of a run that is there are its name, too", () => {
	expect(() => refuseRef("k3f9", (word) => word === "k3f9")).toThrow('"k3f9" is a run');
	expect(() => refuseRef("k3f9")).not.toThrow();
});

test.each([undefined, "-", "2", "1.0", "0.1.2", "1.2 is wrong", "list the files", "echo", "99999999", "20261127x"])(
	"%j may be a task",
	(task) => expect(() => refuseRef(task)).not.toThrow(),
);

/** A list as /proc has it; Latin-1 stands for bytes. */
const listed = (...items: string[]) => Buffer.from(items.map((item) => `${item}\0`).join(""), "latin1");
const UTF8 = Buffer.from("café \ufffd").toString("latin1");

test("an argument in another encoding is refused, one with a U+FFFD of its own is not", () => {
	expect(() => refuseOtherArguments(["run", "caf\ufffd x"], () => listed("node", "run", "caf\xe9 x"))).toThrow(
		'an argument is not valid UTF-8: "caf\ufffd x"',
	);
	expect(() => refuseOtherArguments(["café \ufffd"], () => listed("node", UTF8))).not.toThrow();
	expect(() => refuseOtherArguments(["a\ufffd"], () => undefined)).not.toThrow();
});

test("variables whose bytes are lost are named", () => {
	const environ = () => listed("A=x", "B=caf\xe9", `C=${UTF8}`, "D\xff=1");
	const env = { A: "x", B: "caf\ufffd", C: "café \ufffd", "D\ufffd": "1" };
	expect(variablesNotUtf8(env, environ)).toEqual(["B", "D\ufffd"]);
	expect(bytesNotice(env, environ)).toBe(
		"not valid UTF-8 in the environment: B, D\ufffd; commands get U+FFFD for the invalid bytes",
	);
	expect(bytesNotice({ A: "x" }, environ)).toBeUndefined();
});
