/**
 * IDs of the tokens and OAuth grants of a user, for people. The list of access tokens and the log of changes show them. An
 * ID is a part of a value that only the service and the program know, and that is too short to be used instead of it.
 */

/** Characters of base64url, of the 43 of a challenge. A program cannot find another token with the same ID. */
const TOKEN_ID_CHARACTERS = 16

/** Of 22. Whoever knows the whole ID of a grant and its client can revoke it. */
const GRANT_ID_CHARACTERS = 11

export const idOfToken = (challenge: string): string => challenge.slice(0, TOKEN_ID_CHARACTERS)

export const idOfGrant = (grantId: string): string => grantId.slice(0, GRANT_ID_CHARACTERS)
