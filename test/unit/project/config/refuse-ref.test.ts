import { expect, test } from "vitest";
import { refuseRef } from "../../../../src/project/config/run-names.ts";

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
