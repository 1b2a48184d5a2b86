/**
 * A statement by the origin about an action's public key, signed with its receipt key. A client that has verified the
 * evidence, which commits to the receipt key, can trust the statement over any connection.
 * It does not prove that the action exists: every CID has a key.
 */
import { z } from 'zod'
import { isActionCid } from './action-cid.ts'
import { type JwsKey, verifyJws } from './jws.ts'

export const ACTION_STATEMENT_TYPE = 'svc-action-key+jws'

const actionStatementSchema = z.strictObject({
  v: z.literal(1),
  action_cid: z.string().refine(isActionCid, 'a CIDv0'),
  /** Uncompressed secp256k1 point, as returned by `Svc.Actions.getSvcActionPublicKey`. */
  public_key: z.string().regex(/^0x04[0-9a-f]{128}$/, '65 bytes in 0x hex'),
  /** EIP-55 checksummed address. */
  wallet_address: z.string().regex(/^0x[0-9a-fA-F]{40}$/, '20 bytes in 0x hex'),
  /**
   * Compose hash of the application that signed. A different application could have been given the same key by mistake,
   * or under coercion.
   */
  compose_hash: z.string().regex(/^[0-9a-f]{64}$/, 'SHA-256 in hex'),
})
export type ActionStatement = z.infer<typeof actionStatementSchema>

const STATEMENT = {
  type: ACTION_STATEMENT_TYPE,
  noun: 'statement on an action’s key',
  payload: actionStatementSchema,
}

/** A validly signed statement about a different action, or by a different application, than expected. */
export class StatementMismatch extends Error {
  readonly field: 'action_cid' | 'compose_hash'
  constructor(field: 'action_cid' | 'compose_hash') {
    super(`the statement on the action’s key is of another ${field}`)
    this.name = 'StatementMismatch'
    this.field = field
  }
}

/**
 * Verifies the signature of a statement, and that it matches what was requested.
 * @param expected the requested action, and the application named by the evidence
 * @throws {JwsRefused | StatementMismatch}
 */
export async function readActionStatement(
  text: string,
  key: JwsKey,
  expected: { cid: string; composeHash: string },
): Promise<ActionStatement> {
  const statement = await verifyJws(text, STATEMENT, key)
  if (statement.action_cid !== expected.cid) throw new StatementMismatch('action_cid')
  if (statement.compose_hash !== expected.composeHash) throw new StatementMismatch('compose_hash')
  return statement
}
