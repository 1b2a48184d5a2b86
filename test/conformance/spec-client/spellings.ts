/**
 * Request fields with wire names that the core API leaves open. The client sends the value under each name that a
 * reader of the specification would try; the server ignores the rest.
 */
export const groupId = (id: number) => ({ group_id: id, id })

export const groupName = (name: string) => ({ group_name: name, name })

export const walletId = (pkpId: string) => ({ pkp_id: pkpId })

export const actionCid = (cid: string) => ({
  action_ipfs_cid: cid,
  action_ipfs_id: cid,
  action_cid: cid,
  ipfs_id: cid,
  cid,
})

export const keyToRemove = (key: string) => ({ usage_api_key: key, api_key: key })
