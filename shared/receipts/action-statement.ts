/**
 * A statement about an action's public key, signed with the origin's receipt key. The evidence commits to that key, so
 * a client that has verified the evidence can trust the statement over any connection. The statement does not prove
 * that the action exists, because every CID has a key.
 */
import { z } from 'zod'
import { isActionCid } from '../cid/cid-format.ts'
import { type JwsKey, verifyJws } from '../crypto/jws.ts'

export const ACTION_STATEMENT_TYPE = 'svc-action-key+jws'

const actionStatementSchema = z.strictObject({
  v: z.literal(1),
  action_cid: z.string().refine(isActionCid, 'expected a CIDv0'),
  /** Public key of the action: an uncompressed secp256k1 point, as returned by `Svc.Actions.getSvcActionPublicKey`. */
  public_key: z.string().regex(/^0x04[0-9a-f]{128}$/, 'expected 65 bytes in hex with 0x'),
  /** Address of the action's wallet, with an EIP-55 checksum. */
  wallet_address: z.string().regex(/^0x[0-9a-fA-F]{40}$/, 'expected 20 bytes in hex with 0x'),
  /**
   * Compose hash of the signing application. Another application could have the same key by mistake, or under coercion.
   */
  compose_hash: z.string().regex(/^[0-9a-f]{64}$/, 'expected SHA-256 in hex'),
})
export type ActionStatement = z.infer<typeof actionStatementSchema>

const STATEMENT = {
  type: ACTION_STATEMENT_TYPE,
  noun: 'action key statement',
  payload: actionStatementSchema,
}

/** The statement is validly signed, but is about another action or by another application than expected. */
export class StatementMismatchError extends Error {
  readonly field: 'action_cid' | 'compose_hash'
  constructor(field: 'action_cid' | 'compose_hash') {
    super(`the statement about the action’s key has a different ${field}`)
    this.name = 'StatementMismatchError'
    this.field = field
  }
}

/**
 * @param expected the requested action, and the application named by the evidence
 * @throws {InvalidJwsError | StatementMismatchError}
 */
export async function readActionStatement(
  text: string,
  key: JwsKey,
  expected: { cid: string; composeHash: string },
): Promise<ActionStatement> {
  const statement = await verifyJws(text, STATEMENT, key)
  if (statement.action_cid !== expected.cid) throw new StatementMismatchError('action_cid')
  if (statement.compose_hash !== expected.composeHash)
    throw new StatementMismatchError('compose_hash')
  return statement
}
