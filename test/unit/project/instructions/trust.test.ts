import { expect, test } from "vitest";
import { afterAnswer, trustIn } from "../../../../src/project/instructions/trust.ts";

const file = (path: string, digest: string) => ({ path, digest });
const [A, B] = [file("/p/a", "1"), file("/p/b", "2")];
const answer = (
	files: { path: string; digest: string }[],
	isTrusted: boolean,
	before?: Parameters<typeof afterAnswer>[0],
) => afterAnswer(before, { project: "/p", files, isTrusted, at: 5 });

test("files are trusted as they are: one that is new or has changed opens the question, and the others are shown as known", () => {
	const answered = answer([A, B], true);
	expect(answered).toEqual({ project: "/p", trusted: [A, B], refused: [], answeredAt: 5 });
	expect(trustIn(answered, [A, B])).toEqual({ is: "trusted" });
	expect(trustIn(answered, [B])).toEqual({ is: "trusted" });
	const [changed, other] = [file("/p/a", "9"), file("/p/c", "1")];
	expect(trustIn(answered, [changed, B, other])).toEqual({
		is: "open",
		files: [
			{ ...changed, was: "changed" },
			{ ...B, was: "known" },
			{ ...other, was: "new" },
		],
	});
	expect(trustIn(undefined, [A])).toEqual({ is: "open", files: [{ ...A, was: "new" }] });
});

test("a no to a changed file leaves what was trusted as it was", () => {
	const changed = file("/p/a", "9");
	const refused = answer([changed, B], false, answer([A, B], true));
	expect(trustIn(refused, [changed, B])).toEqual({ is: "refused" });
	expect(trustIn(refused, [A, B])).toEqual({ is: "trusted" });
});

test("answers about the files of several directories add up", () => {
	const both = answer([B], true, answer([A], true));
	expect(trustIn(both, [A, B])).toEqual({ is: "trusted" });
	const many = Array.from({ length: 3_000 }, (_, n) => file(`/p/${n}`, "x"));
	expect(answer(many, true, both).trusted).toHaveLength(2_000);
});
