/**
 * The origin's signed word on the key of an action: whoever has verified the evidence, which names the key that signed it,
 * can be lied to by nobody on the way (specification, Authentication 9). It says nothing about whether there is such an
 * action: every CID has a key.
 */
import { z } from 'zod'
import { isActionCid } from './action-cid.ts'
import { type JwsKey, verifyJws } from './jws.ts'

export const ACTION_STATEMENT_TYPE = 'svc-action-key+jws'

const actionStatementSchema = z.strictObject({
  v: z.literal(1),
  action_cid: z.string().refine(isActionCid, 'a CIDv0'),
  /** The uncompressed point of secp256k1: as `Svc.Actions.getSvcActionPublicKey` gives it. */
  public_key: z.string().regex(/^0x04[0-9a-f]{128}$/, '65 bytes in 0x hex'),
  /** EIP-55. */
  wallet_address: z.string().regex(/^0x[0-9a-fA-F]{40}$/, '20 bytes in 0x hex'),
  /** Of the application that signed it: another one may have been given the same key by mistake, or by force. */
  compose_hash: z.string().regex(/^[0-9a-f]{64}$/, 'SHA-256 in hex'),
})
export type ActionStatement = z.infer<typeof actionStatementSchema>

const STATEMENT = {
  type: ACTION_STATEMENT_TYPE,
  noun: 'statement on an action’s key',
  payload: actionStatementSchema,
}

/** A statement that is signed, and on another action or by another application than was asked. */
export class StatementMismatch extends Error {
  readonly field: 'action_cid' | 'compose_hash'
  constructor(field: 'action_cid' | 'compose_hash') {
    super(`the statement on the action’s key is of another ${field}`)
    this.name = 'StatementMismatch'
    this.field = field
  }
}

/**
 * @param expected what was asked, and the application that the evidence shows
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
