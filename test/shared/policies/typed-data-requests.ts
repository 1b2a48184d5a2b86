/** Typed data of the tests. */
import { allowing, PAYEE, PAYROLL, USDC, WALLET } from './requests.ts'

export const PERMIT =
  'Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)'
export const DAI_PERMIT =
  'Permit(address holder,address spender,uint256 nonce,uint256 expiry,bool allowed)'
export const PERMIT2 = '0x000000000022D473030F116dDEE9F6B43aC78BA3'
export const DETAILS = 'PermitDetails(address token,uint160 amount,uint48 expiration,uint48 nonce)'
export const SEAPORT = '0x0000000000000068F116a894984e2DB1123eB395'

/** The types of an encoded type, as libraries take them. */
export function typesOf(encoded: string): Record<string, { name: string; type: string }[]> {
  return Object.fromEntries(
    [...encoded.matchAll(/(\w+)\(([^)]*)\)/g)].map(([, name, members]) => [
      name,
      members!
        .split(',')
        .filter(Boolean)
        .map((member) => {
          const [type, of] = member.split(' ')
          return { name: of!, type: type! }
        }),
    ]),
  )
}

const DOMAIN = { name: 'USD Coin', version: '2', chainId: 1, verifyingContract: USDC }
export const VALUE = {
  owner: WALLET,
  spender: PAYEE,
  value: '5000000',
  nonce: 0,
  deadline: '1800000000',
}

type Signed = { domain?: object; encoded?: string; types?: object; value?: object; others?: object }
export const typedData = ({
  domain = {},
  encoded = PERMIT,
  types,
  value = {},
  others = {},
}: Signed = {}) => ({
  kind: 'typed_data',
  domain: { ...DOMAIN, ...domain },
  types: types ?? typesOf(encoded),
  value: { ...(encoded === PERMIT ? VALUE : {}), ...value },
  ...others,
})
export const ofDomain = (domain: object) => typedData({ domain })
export const ofValue = (value: object) => typedData({ value })
export const member = (name: string, type: string) => ({ name, type })
export const [PERMIT_MEMBERS] = Object.values(typesOf(PERMIT))

export const permits = allowing(
  {
    kind: 'typed_data',
    chains: [1],
    domains: [{ name: 'USD Coin', version: '2', verifying_contract: [USDC] }],
    types: [
      {
        type: PERMIT,
        conditions: [
          { path: 'owner', in: ['@wallet'] },
          { path: 'spender', in: ['@payees'] },
          { path: 'value', lte: '50000000' },
        ],
      },
    ],
    sums: ['USDC a day'],
  },
  { tokens: PAYROLL.tokens, lists: PAYROLL.lists, sums: PAYROLL.sums },
)
