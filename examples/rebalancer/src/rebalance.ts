import { defineAction, type ScheduleParams } from '@svc-run/cli/action'
import { call } from './call'

const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
/** A vault for USDC (ERC-4626). The policy names it too. */
const VAULT = '0x000000000000000000000000000000000000dEaD'
/** The share that stays in the wallet, in percent. */
const LIQUID = 20n
/** Smaller corrections than this share are not worth the gas, in percent. */
const TOLERANCE = 5n

const abi = new ethers.utils.Interface([
  'function balanceOf(address owner) view returns (uint256)',
  'function convertToAssets(uint256 shares) view returns (uint256)',
  'function approve(address spender, uint256 amount)',
  'function deposit(uint256 assets, address receiver)',
  'function withdraw(uint256 assets, address receiver, address owner)',
])

/** Keeps a fifth of the USDC in the wallet, and the rest in the vault. */
export default defineAction(async ({ wallet }: ScheduleParams<{ wallet: string }>) => {
  const liquid = await read(USDC, 'balanceOf', wallet)
  const shares = await read(VAULT, 'balanceOf', wallet)
  const invested = await read(VAULT, 'convertToAssets', shares)
  const total = liquid + invested
  const excess = liquid - (total * LIQUID) / 100n
  const size = excess < 0n ? -excess : excess
  if (size * 100n <= total * TOLERANCE)
    return { did: 'nothing', liquid: `${liquid}`, invested: `${invested}` }
  if (excess < 0n) {
    const id = await send(wallet, VAULT, 'withdraw', size, wallet, wallet)
    return { did: 'withdraw', amount: `${size}`, id }
  }
  const approval = await send(wallet, USDC, 'approve', VAULT, size)
  const { state, failure } = await Svc.Actions.transaction({
    id: approval,
    waitFor: 'mined',
    timeoutMs: 60_000,
  })
  // The deposit cannot be simulated before the approval is mined. The next run tries again.
  if (state !== 'mined' && state !== 'final')
    throw new Error(`the approval is ${state}: ${failure?.message ?? approval}`)
  return {
    did: 'deposit',
    amount: `${size}`,
    id: await send(wallet, VAULT, 'deposit', size, wallet),
  }
})

async function read(to: string, name: string, argument: string | bigint): Promise<bigint> {
  return BigInt(await call(to, abi.encodeFunctionData(name, [argument])))
}

async function send(wallet: string, to: string, name: string, ...values: (string | bigint)[]) {
  const data = abi.encodeFunctionData(name, values)
  const { id } = await Svc.Actions.sendTransaction({ pkpId: wallet, chain: 'base', to, data })
  return id
}
