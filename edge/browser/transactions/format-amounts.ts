import { coinOf } from '../../../shared/wire/public-chains.ts'
import { formatAmount } from '../policies/amounts.ts'
import { COIN_DECIMALS } from '../policies/templates.ts'

export const GWEI_DECIMALS = 9

export const formatCoins = (wei: bigint, chainId: number): string =>
  `${formatAmount(wei, COIN_DECIMALS)} ${coinOf(chainId)}`

export const formatGwei = (wei: string): string =>
  `${formatAmount(BigInt(wei), GWEI_DECIMALS)} gwei`
