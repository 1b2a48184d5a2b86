import { Contract, type ContractTransactionReceipt, Interface, type Signer } from 'ethers'
import { governanceAbi } from '../../../shared/abi/governance.ts'

/** Kinds of governance changes, with their enum values in the contract. */
export const CHANGE_KIND = {
  allowComposeHash: 0,
  withdrawComposeHash: 1,
  addMember: 2,
  removeMember: 3,
  setThreshold: 4,
} as const

const governance = new Interface(governanceAbi)

/**
 * @param subject 32 bytes in 0x hex
 * @param members as many members as the threshold requires; the first one proposes and executes the change
 * @throws if a transaction reverts
 */
export async function makeChange(
  address: string,
  change: keyof typeof CHANGE_KIND,
  subject: string,
  members: readonly Signer[],
): Promise<void> {
  const [first, ...others] = members
  if (!first) throw new Error('a change needs members')
  const id = proposalIdFrom(await send(address, first, 'propose', CHANGE_KIND[change], subject))
  for (const member of others) await send(address, member, 'approve', id)
  await send(address, first, 'execute', id)
}

async function send(
  address: string,
  member: Signer,
  name: string,
  ...args: unknown[]
): Promise<ContractTransactionReceipt> {
  const transaction = await new Contract(address, governanceAbi, member)
    .getFunction(name)
    .send(...args)
  const receipt = await transaction.wait()
  if (!receipt) throw new Error(`${name}: no receipt`)
  return receipt
}

export function proposalIdFrom({ logs }: Pick<ContractTransactionReceipt, 'logs'>): string {
  const events = logs.map((log) => governance.parseLog(log))
  const id: unknown = events.find((event) => event?.name === 'Proposed')?.args['id']
  if (typeof id !== 'string') throw new Error('nothing was proposed')
  return id
}
