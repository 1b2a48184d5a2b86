/**
 * Encodes and decodes contract data with ethers, which is loaded on the first read or write. No other file of the
 * client uses ethers.
 */

/** An account as returned by `accountOf`. Hashes are 0x hex of 32 bytes. Addresses have EIP-55 checksums. */
export type AccountView = {
  accountHash: string
  managed: boolean
  adminWallet: string
  wallets: readonly WalletView[]
  groups: readonly GroupView[]
  usageApiKeys: readonly UsageKeyView[]
  actions: readonly ActionView[]
}
export type WalletView = {
  pkpId: string
  address: string
  derivationPath: string
  name: string
  description: string
  /** Present only if `walletPoliciesOf` was read, too, and the wallet has a policy. */
  policyHash?: string | undefined
}
export type GroupView = {
  id: number
  name: string
  description: string
  pkpIds: readonly string[]
  cidHashes: readonly string[]
}
export type UsageKeyView = {
  hash: string
  /** Creation time in Unix seconds. */
  createdAt: number
  name: string
  description: string
  canCreateGroups: boolean
  canDeleteGroups: boolean
  canCreatePkps: boolean
  manageIpfsIdsInGroups: readonly number[]
  addPkpToGroups: readonly number[]
  removePkpFromGroups: readonly number[]
  executeInGroups: readonly number[]
}
type ActionView = { cidHash: string; cid: string; name: string; description: string }

/** A wallet's policy as of the latest block. Times are in Unix seconds. */
export type WalletPolicyView = {
  pkpId: string
  policyHash: string
  isImmutable: boolean
  setAt: number
  /** Undefined if no change is pending. */
  pending: { policyHash: string; effectiveAt: number } | undefined
}
/** The event `WalletPolicySet`. `policyHash` takes effect at `effectiveAt`; until then, `replaces` holds. */
export type PolicyChange = {
  replaces: string
  policyHash: string
  setAt: number
  effectiveAt: number
}

export type ContractError = { errorName: string; args: readonly string[] }
type Log = { address: string; topics: readonly string[]; data: string }

export type ContractCodec = {
  /** Returns the call data as 0x hex. @throws {TypeError} for arguments that do not match the function's types */
  encode(functionName: string, args: readonly unknown[]): string
  account(answer: string): AccountView
  group(answer: string): GroupView
  policy(answer: string): WalletPolicyView
  policies(answer: string): WalletPolicyView[]
  /** Decodes the result of `masterOf`. Undefined if the hash does not belong to an account. */
  accountHash(answer: string): string | undefined
  /** Decodes revert data. Undefined unless the data is a custom error of the contract. */
  decodeError(data: string): ContractError | undefined
  /** Returns the ID of the group that a transaction created. Undefined if the transaction created no group. */
  createdGroupId(logs: readonly Log[], contractAddress: string): number | undefined
  /** Returns the policy change of a transaction, or undefined if it made none. */
  policyChange(logs: readonly Log[], contractAddress: string): PolicyChange | undefined
  /**
   * Returns an address in EIP-55 format.
   * @throws {TypeError} for an invalid address or a wrong checksum, which indicates a typing error
   */
  address(text: string): string
}

let loading: Promise<ContractCodec> | undefined

export function loadContractCodec(): Promise<ContractCodec> {
  loading ??= createCodec().catch((error: unknown) => {
    // Discards the failed promise, so that the next call tries again. Loading a chunk can fail temporarily.
    loading = undefined
    throw error
  })
  return loading
}

async function createCodec(): Promise<ContractCodec> {
  const [{ getAddress, Interface, toBeHex }, { accountConfigAbi }] = await Promise.all([
    import('ethers'),
    import('../../abi/account-config.ts'),
  ])
  const contract = new Interface(accountConfigAbi)
  const word = (value: bigint) => toBeHex(value, 32)
  const groupSet = contract.getEvent('GroupSet')!.topicHash
  const policySet = contract.getEvent('WalletPolicySet')!.topicHash
  const logOf = (topic: string, logs: readonly Log[], contractAddress: string) =>
    logs.find(
      ({ address, topics }) =>
        address.toLowerCase() === contractAddress.toLowerCase() && topics[0] === topic,
    )

  const group = (read: any): GroupView => ({
    id: Number(read.groupId),
    name: read.name,
    description: read.description,
    pkpIds: [...read.pkpIds],
    cidHashes: [...read.cidHashes].map(word),
  })
  const policy = (read: any): WalletPolicyView => ({
    pkpId: read.pkpId,
    policyHash: read.policyHash,
    isImmutable: read.isImmutable,
    setAt: Number(read.setAt),
    pending:
      read.pendingAt === 0n
        ? undefined
        : { policyHash: read.pendingHash, effectiveAt: Number(read.pendingAt) },
  })
  const usageKey = ({ apiKeyHash, createdAt, key }: any): UsageKeyView => ({
    hash: word(apiKeyHash),
    createdAt: Number(createdAt),
    name: key.name,
    description: key.description,
    canCreateGroups: key.canCreateGroups,
    canDeleteGroups: key.canDeleteGroups,
    canCreatePkps: key.canCreatePkps,
    manageIpfsIdsInGroups: [...key.manageIpfsIdsInGroups].map(Number),
    addPkpToGroups: [...key.addPkpToGroups].map(Number),
    removePkpFromGroups: [...key.removePkpFromGroups].map(Number),
    executeInGroups: [...key.executeInGroups].map(Number),
  })

  return {
    encode: (functionName, args) => contract.encodeFunctionData(functionName, args),
    account: (answer) => {
      const [read] = contract.decodeFunctionResult('accountOf', answer)
      return {
        accountHash: word(read.accountHash),
        managed: read.managed,
        adminWallet: read.adminWallet,
        wallets: [...read.wallets].map(({ pkpId, derivationPath, name, description }) => ({
          pkpId,
          address: getAddress(`0x${pkpId.slice(-40)}`),
          derivationPath,
          name,
          description,
        })),
        groups: [...read.groups].map(group),
        usageApiKeys: [...read.usageApiKeys].map(usageKey),
        actions: [...read.actions].map(({ cidHash, cid, name, description }) => ({
          cidHash: word(cidHash),
          cid,
          name,
          description,
        })),
      }
    },
    group: (answer) => group(contract.decodeFunctionResult('groupOf', answer)[0]),
    policy: (answer) => policy(contract.decodeFunctionResult('walletPolicyOf', answer)[0]),
    policies: (answer) =>
      [...contract.decodeFunctionResult('walletPoliciesOf', answer)[0]].map(policy),
    accountHash: (answer) => {
      const [hash] = contract.decodeFunctionResult('masterOf', answer)
      return hash === 0n ? undefined : word(hash)
    },
    decodeError: (data) => {
      const parsed = contract.parseError(data)
      return parsed ? { errorName: parsed.name, args: [...parsed.args].map(String) } : undefined
    },
    createdGroupId: (logs, contractAddress) => {
      const made = logOf(groupSet, logs, contractAddress)
      return made && Number(made.topics[2])
    },
    policyChange: (logs, contractAddress) => {
      const log = logOf(policySet, logs, contractAddress)
      if (!log) return undefined
      const { args } = contract.parseLog({ topics: [...log.topics], data: log.data })!
      return {
        replaces: args['replaces'],
        policyHash: args['policyHash'],
        setAt: Number(args['setAt']),
        effectiveAt: Number(args['effectiveAt']),
      }
    },
    address: getAddress,
  }
}
