/** What a service sent is larger than anything that it has to send; another try would bring the same. */
export class TooLarge extends Error {
	override readonly name = "TooLarge";
}
