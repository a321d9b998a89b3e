import { expect, test } from "vitest";
import { formerDirectory, workingDirectory } from "../../../../src/project/config/working-directory.ts";

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
