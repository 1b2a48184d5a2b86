import { importBytes } from 'ipfs-unixfs-importer'

/** The shape of a CIDv0 (specification, Action identity 7). */
export const CID_SHAPE = /^Qm[1-9A-HJ-NP-Za-km-z]{44}$/

const encoder = new TextEncoder()

/**
 * The CIDv0 of an action's source: UnixFS, 262,144-byte chunks, balanced with at most 174 children a
 * node, no raw leaves (specification, Action identity 1). Nothing is stored.
 */
export async function actionCid(source: string): Promise<string> {
  const { cid } = await importBytes(
    encoder.encode(source),
    { put: async (blockCid) => blockCid },
    { profile: 'unixfs-v0-2015' },
  )
  return cid.toString()
}
