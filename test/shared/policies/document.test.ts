import { keccak256, toUtf8Bytes } from 'ethers'
import { describe, expect, it } from 'vitest'
import { policyJsonSchema } from '../../../shared/policies/document.ts'
import { parsePolicy } from '../../../shared/policies/policy.ts'
import { PolicyError } from '../../../shared/policies/policy-error.ts'
import { PAYEE, PAYROLL, policyOf, USDC } from './requests.ts'

type Changed = Record<string, unknown>

const [RULE] = PAYROLL.rules
const [CALL] = RULE!.calls
const withRule = (changes: Changed) => ({ ...PAYROLL, rules: [{ ...RULE, ...changes }] })
const withConditions = (...conditions: Changed[]) => withRule({ calls: [{ ...CALL, conditions }] })

function problemsOf(text: string): string {
  try {
    parsePolicy(text)
  } catch (error) {
    if (error instanceof PolicyError) return error.message
    throw error
  }
  return 'valid'
}

describe('the hash of a policy', () => {
  it('is the keccak-256 of its canonical JSON', () => {
    const { canonical, hash } = policyOf(PAYROLL)
    expect(hash).toBe(keccak256(toUtf8Bytes(canonical)))
    expect(canonical).toMatch(/^\{"lists":\[\{"addresses":\["0x70997970c5/)
  })

  it.each([
    ['whitespace', JSON.stringify(PAYROLL, null, 4)],
    [
      'the order of members',
      JSON.stringify(Object.fromEntries(Object.entries(PAYROLL).toReversed())),
    ],
    ['the case of addresses', JSON.stringify(PAYROLL).replaceAll(USDC, USDC.toLowerCase())],
    ['escapes', JSON.stringify(PAYROLL).replace('"pay"', String.raw`"p\u0061y"`)],
    ['spellings of numbers', JSON.stringify(PAYROLL).replace('86400', '8.64e4')],
  ])('does not depend on %s', (_, text) => {
    expect(parsePolicy(text).hash).toBe(policyOf(PAYROLL).hash)
  })

  it('does not depend on the case of addresses and bytes in conditions', () => {
    const signature = 'f(address a, bytes b, bytes4 c)'
    const of = (a: string, b: string, c: string) =>
      policyOf(
        withRule({
          calls: [
            {
              function: signature,
              conditions: [
                { path: 'a', eq: a },
                { path: 'b', prefix: b },
                { path: 'c', in: [c] },
              ],
            },
          ],
          sums: undefined,
        }),
      ).hash
    expect(of(PAYEE, '0xABCD', '0xFF00aa11')).toBe(of(PAYEE.toLowerCase(), '0xabcd', '0xff00aa11'))
  })

  it('depends on the case of texts', () => {
    const of = (eq: string) =>
      policyOf(
        withRule({
          calls: [{ function: 'f(string a)', conditions: [{ path: 'a', eq }] }],
          sums: undefined,
        }),
      ).hash
    expect(of('0xAB')).not.toBe(of('0xab'))
  })

  it('is stable for the same canonical document', () => {
    const { canonical, hash } = policyOf(PAYROLL)
    expect(parsePolicy(canonical)).toMatchObject({ canonical, hash })
  })
})

describe('an invalid policy', () => {
  it.each<[string, string, RegExp]>([
    ['text that is not JSON', '{', /^policy: not JSON/],
    [
      'duplicate members: the last one would silently win',
      JSON.stringify(PAYROLL).replace('"to":', '"to":["0x00"],"to":'),
      /^rules\[0\]\.to: the member occurs twice/,
    ],
    [
      'duplicate members with different escapes',
      JSON.stringify(PAYROLL).replace('"chains":', String.raw`"ch\u0061ins":[10],"chains":`),
      /^rules\[0\]\.chains: the member occurs twice/,
    ],
    [
      'the member __proto__',
      '{"version":1,"__proto__":{},"rules":[]}',
      /__proto__: unknown member/,
    ],
    [
      'a document that is too long',
      `${JSON.stringify(PAYROLL)}${' '.repeat(70_000)}`,
      /at most 65536/,
    ],
    ['a list', '[]', /^policy: /],
    ['null', 'null', /^policy: /],
    ['deep nesting', `${'['.repeat(5_000)}${']'.repeat(5_000)}`, /^policy: /],
    [
      'nested conditions that would overflow the stack',
      `{"version":1,"rules":[${'{"every":['.repeat(2_500)}${']}'.repeat(2_500)}]}`,
      /^policy: nested deeper than 160 levels/,
    ],
  ])('%s is refused', (_, text, expected) => {
    expect(problemsOf(text)).toMatch(expected)
  })

  it.each<[string, object, RegExp]>([
    ['another version', { ...PAYROLL, version: 2 }, /^version: /],
    ['no rules', { ...PAYROLL, rules: [] }, /^rules: /],
    ['an unknown member', { ...PAYROLL, limits: [] }, /^limits: unknown member; remove it/],
    [
      'approval, which is not supported yet',
      withRule({ approval: {} }),
      /^rules\[0\]\.approval: approval by a person is not supported yet/,
    ],
    ['an unknown kind', withRule({ kind: 'anything' }), /^rules\[0\]\.kind: expected the kind/],
    [
      'a rule without a kind',
      withRule({ kind: undefined }),
      /^rules\[0\]\.kind: expected the kind/,
    ],
    ['an unknown effect', withRule({ effect: 'maybe' }), /^rules\[0\]\.effect: /],
    [
      'two rules with one name',
      { ...PAYROLL, rules: [RULE, RULE] },
      /^rules\[1\]\.name: the name pay is taken/,
    ],
    ['no chains', withRule({ chains: undefined }), /^rules\[0\]\.chains: expected "any" or a list/],
    ['an empty list of chains', withRule({ chains: [] }), /^rules\[0\]\.chains: /],
    ['chain 0', withRule({ chains: [0] }), /^rules\[0\]\.chains\[0\]: /],
    ['a chain as a text', withRule({ chains: ['1'] }), /^rules\[0\]\.chains\[0\]: /],
    [
      'an invalid checksum',
      withRule({ to: [USDC.replace('A', 'a')] }),
      /^rules\[0\]\.to\[0\]: invalid EIP-55 checksum/,
    ],
    ['an ENS name', withRule({ to: ['payee.eth'] }), /^rules\[0\]\.to\[0\]: expected an address/],
    [
      'an address without 0x',
      withRule({ to: [USDC.slice(2)] }),
      /^rules\[0\]\.to\[0\]: expected an address/,
    ],
    [
      'an address twice',
      withRule({ to: [USDC, USDC.toLowerCase()] }),
      /^rules\[0\]\.to\[1\]: .* occurs twice/,
    ],
    [
      'an unknown list',
      withRule({ to: ['@friends'] }),
      /^rules\[0\]\.to\[0\]: there is no list @friends; the lists are @wallet, @payees/,
    ],
    [
      'a list with the name of the wallet',
      { ...PAYROLL, lists: [{ name: 'wallet', addresses: [PAYEE] }] },
      /^lists\[0\]\.name: the name wallet is taken/,
    ],
    ['an amount as a number', withRule({ value_max: 5 }), /^rules\[0\]\.value_max: /],
    [
      'an amount with leading zeros',
      withRule({ value_max: '007' }),
      /^rules\[0\]\.value_max: expected an amount/,
    ],
    [
      'an amount as hex',
      withRule({ value_max: '0x10' }),
      /^rules\[0\]\.value_max: expected an amount/,
    ],
    [
      'a negative amount',
      withRule({ value_max: '-1' }),
      /^rules\[0\]\.value_max: expected an amount/,
    ],
    [
      'an amount above 2^256',
      withRule({ value_max: String(2n ** 256n) }),
      /^rules\[0\]\.value_max: more than 2\^256 - 1/,
    ],
    [
      'a flag that is false',
      withRule({ zero_address: false }),
      /^rules\[0\]\.zero_address: expected true; omit/,
    ],
    [
      'EIP-7702 transactions',
      withRule({ transaction_types: [4] }),
      /^rules\[0\]\.transaction_types\[0\]: .*EIP-7702/,
    ],
    [
      'a function that is none',
      withRule({ calls: [{ function: 'transfer' }] }),
      /^rules\[0\]\.calls\[0\]\.function: not a function signature; write/,
    ],
    [
      'an unknown ABI type',
      withRule({ calls: [{ function: 'f(uint7 x)' }] }),
      /^rules\[0\]\.calls\[0\]\.function: /,
    ],
    [
      'two arguments of one name',
      withRule({ calls: [{ function: 'f(uint256 x, uint256 x)' }] }),
      /two arguments have the name x/,
    ],
    [
      'a tuple without members',
      withRule({ calls: [{ function: 'f(tuple() x)' }] }),
      /^rules\[0\]\.calls\[0\]\.function: /,
    ],
    [
      'a selector collision with a known function',
      withRule({ calls: [{ function: 'many_msg_babbage(bytes1 x)' }] }),
      /0xa9059cbb is also that of transfer\(address,uint256\)/,
    ],
    [
      'a selector collision within a rule',
      withRule({
        calls: [{ function: 'collate_propagate_storage(bytes16 x)' }, { selector: '0x42966c68' }],
      }),
      /^rules\[0\]\.calls\[0\]/,
    ],
    [
      'a sum that cannot count the function',
      withRule({ calls: [{ function: 'mint(uint256 x)' }] }),
      /^rules\[0\]\.calls\[0\]: sums of tokens count only/,
    ],
    [
      'a sum beside unlimited approvals',
      withRule({ unlimited_approval: true }),
      /^rules\[0\]\.sums\[0\]: USDC a day cannot bound unlimited approvals/,
    ],
    [
      'a sum beside nested calls',
      withRule({ unchecked_nested_calls: true }),
      /^rules\[0\]\.sums\[0\]: USDC a day cannot count nested calls/,
    ],
    [
      'a sum that does not exist',
      withRule({ sums: ['all'] }),
      /^rules\[0\]\.sums\[0\]: there is no sum all/,
    ],
    [
      'limits of a rule that denies',
      withRule({ effect: 'deny', sums: undefined, calls: 'any', value_max: '1' }),
      /^rules\[0\]\.value_max: only rules with the effect allow/,
    ],
    [
      'a window of a second',
      { ...PAYROLL, sums: [{ ...PAYROLL.sums[0], window_s: 1 }] },
      /^sums\[0\]\.window_s: /,
    ],
    [
      'a sum of an unknown token',
      { ...PAYROLL, sums: [{ ...PAYROLL.sums[0], tokens: ['ETH'] }] },
      /^sums\[0\]\.tokens\[0\]: there is no token ETH/,
    ],
    [
      'a sum of tokens without tokens',
      { ...PAYROLL, sums: [{ ...PAYROLL.sums[0], tokens: undefined }] },
      /^sums\[0\]\.tokens: /,
    ],
    [
      'a token twice',
      { ...PAYROLL, tokens: [PAYROLL.tokens[0], { ...PAYROLL.tokens[0], name: 'other' }] },
      /^tokens\[1\]: the token occurs twice/,
    ],
    [
      'a condition without a check',
      withConditions({ path: 'to' }),
      /conditions\[0\]: the condition is empty/,
    ],
    [
      'a path to nowhere',
      withConditions({ path: 'too', eq: '1' }),
      /conditions\[0\]\.path: too is not one of to, amount/,
    ],
    [
      'a path into an integer',
      withConditions({ path: 'amount.x', eq: '1' }),
      /conditions\[0\]\.path: x does not follow/,
    ],
    [
      'an index of no array',
      withConditions({ path: 'amount[0]', eq: '1' }),
      /conditions\[0\]\.path: \[0\] does not follow an array/,
    ],
    [
      'an order of addresses',
      withConditions({ path: 'to', lte: '1' }),
      /conditions\[0\]\.lte: only integers have an order/,
    ],
    [
      'a prefix of a number',
      withConditions({ path: 'amount', prefix: '1' }),
      /conditions\[0\]\.prefix: only strings and bytes/,
    ],
    [
      'a condition with an invalid checksum',
      withConditions({ path: 'to', eq: USDC.replace('A', 'a') }),
      /conditions\[0\]\.eq: invalid EIP-55 checksum/,
    ],
    [
      'a number that the type cannot hold',
      withConditions({ path: 'amount', eq: '-1' }),
      /conditions\[0\]\.eq: does not fit uint256/,
    ],
    [
      'every of no array',
      withConditions({ path: 'amount', every: [{ eq: '1' }] }),
      /every and some need an array/,
    ],
    [
      'a time that ends before it begins',
      withRule({ times: [{ from: '22:00', to: '06:00' }] }),
      /^rules\[0\]\.times\[0\]\.to: not after 22:00; write two windows/,
    ],
    [
      'typed data that is not in the form of EIP-712',
      {
        ...PAYROLL,
        rules: [
          {
            name: 'a',
            effect: 'allow',
            kind: 'typed_data',
            chains: [1],
            domains: 'any',
            types: [{ type: 'A(uint256 x, uint256 y)' }],
          },
        ],
      },
      /types\[0\]\.type: write each member as its type/,
    ],
    [
      'a message prefix of one letter',
      {
        ...PAYROLL,
        rules: [{ name: 'a', effect: 'allow', kind: 'message', messages: [{ prefix: 'A' }] }],
      },
      /prefix: expected a prefix of at least 8/,
    ],
  ])('%s is refused by path', (_, document, expected) => {
    expect(problemsOf(JSON.stringify(document))).toMatch(expected)
  })

  it('has its nested conditions limited', () => {
    const many = Array.from({ length: 32 }, () => ({ eq: '1' }))
    const calls = [{ function: 'f(uint256[] x)', conditions: [{ path: 'x', every: many }] }]
    expect(problemsOf(JSON.stringify(withRule({ calls, sums: undefined })))).toMatch(
      /33 conditions with all nested ones; at most 32/,
    )
  })
})

it('the JSON Schema allows no unknown members', () => {
  const open: unknown[] = []
  JSON.stringify(policyJsonSchema(), (_, value: unknown) => {
    const isObject = typeof value === 'object' && value !== null && 'properties' in value
    if (isObject && Reflect.get(value, 'additionalProperties') !== false) open.push(value)
    return value
  })
  expect(open).toEqual([])
})
