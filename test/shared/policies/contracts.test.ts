/** Calls of well-known contracts: each is decoded and explained, and a rule can name it and condition its arguments. */
import { expect, it } from 'vitest'
import { allowing, call, DAI, decide, PAYEE, THIEF, USDC, WALLET, ZERO } from './requests.ts'

const lower = (text: string) => text.toLowerCase()
const [usdc, dai, payee, wallet] = [USDC, DAI, PAYEE, WALLET].map(lower)
const NONE = `0x${'00'.repeat(32)}`
const SIGNATURE = `0x${'11'.repeat(65)}`
const UNIT = 10n ** 18n

type Called = {
  /** Published signature. */
  signature: string
  values: unknown[]
  /** A condition that these values fulfill. */
  condition: object
  words: string
}

const ORDER_PARAMETERS =
  '(address offerer,address zone,(uint8 itemType,address token,uint256 identifierOrCriteria,uint256 startAmount,uint256 endAmount)[] offer,(uint8 itemType,address token,uint256 identifierOrCriteria,uint256 startAmount,uint256 endAmount,address recipient)[] consideration,uint8 orderType,uint256 startTime,uint256 endTime,bytes32 zoneHash,uint256 salt,bytes32 conduitKey,uint256 totalOriginalConsiderationItems)'
const parameters = [
  WALLET,
  ZERO,
  [[2, DAI, 7, 1, 1]],
  [[0, ZERO, 0, UNIT, UNIT, PAYEE]],
  0,
  1,
  2,
  NONE,
  3,
  NONE,
  1,
]

const CALLS: Record<string, Called[]> = {
  'ERC-20': [
    {
      signature: 'transfer(address to, uint256 amount)',
      values: [PAYEE, 2_500_000n],
      condition: { path: 'to', eq: PAYEE },
      words: `Sends 2.5 (2500000 units) of USDC to ${payee}.`,
    },
    {
      signature: 'transferFrom(address from, address to, uint256 amount)',
      values: [WALLET, PAYEE, 1n],
      condition: { path: 'from', in: ['@wallet'] },
      words: `Sends 0.000001 (1 units) of USDC to ${payee}.`,
    },
    {
      signature: 'approve(address spender, uint256 amount)',
      values: [PAYEE, 5_000_000n],
      condition: { path: 'amount', lte: '5000000' },
      words: `Allows ${payee} to take 5 (5000000 units) of USDC.`,
    },
    {
      signature: 'increaseAllowance(address spender, uint256 addedValue)',
      values: [PAYEE, 1_000_000n],
      condition: { path: '1', gte: '1000000' },
      words: `Allows ${payee} to take 1 (1000000 units) of USDC.`,
    },
    {
      signature: 'decreaseAllowance(address spender, uint256 subtractedValue)',
      values: [PAYEE, 1n],
      condition: { path: 'spender', eq: PAYEE },
      words: `Calls decreaseAllowance(spender: ${payee}, subtractedValue: 1) of ${usdc} on chain 1.`,
    },
    {
      signature:
        'permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)',
      values: [WALLET, PAYEE, 1_000_000n, 9, 27, NONE, NONE],
      condition: { path: 'v', in: ['27', '28'] },
      words: `Allows ${payee} to take 1 (1000000 units) of USDC.`,
    },
    {
      signature: 'deposit()',
      values: [],
      condition: {},
      words: `Calls deposit() of ${usdc} on chain 1.`,
    },
    {
      signature: 'withdraw(uint256 wad)',
      values: [5n],
      condition: { path: 'wad', eq: '5' },
      words: `Calls withdraw(wad: 5) of ${usdc} on chain 1.`,
    },
  ],
  'ERC-721 and ERC-1155': [
    {
      signature: 'safeTransferFrom(address from, address to, uint256 tokenId)',
      values: [WALLET, PAYEE, 7n],
      condition: { path: 'tokenId', in: ['7'] },
      words: `Sends one token of the token ${dai} on chain 1 to ${payee}.`,
    },
    {
      signature: 'safeTransferFrom(address from, address to, uint256 tokenId, bytes data)',
      values: [WALLET, PAYEE, 7n, '0x1234'],
      condition: { path: 'data', prefix: '0x12' },
      words: `Sends one token of the token ${dai} on chain 1 to ${payee}.`,
    },
    {
      signature: 'setApprovalForAll(address operator, bool approved)',
      values: [PAYEE, true],
      condition: { path: 'approved', eq: true },
      words: `Allows ${payee} to take any amount of the token ${dai} on chain 1.`,
    },
    {
      signature:
        'safeTransferFrom(address from, address to, uint256 id, uint256 value, bytes data)',
      values: [WALLET, PAYEE, 7n, 3n, '0x'],
      condition: { path: 'value', lte: '3' },
      words: `Sends 3 units of the token ${dai} on chain 1 to ${payee}.`,
    },
    {
      signature:
        'safeBatchTransferFrom(address from, address to, uint256[] ids, uint256[] values, bytes data)',
      values: [WALLET, PAYEE, [7n, 8n], [1n, 2n], '0x'],
      condition: { path: 'values', every: [{ lte: '2' }] },
      words: `Sends 2 units of the token ${dai} on chain 1 to ${payee}.`,
    },
    {
      signature: 'mint(address to, uint256 id, uint256 amount, bytes data)',
      values: [PAYEE, 1n, 2n, '0x'],
      condition: { path: 'amount', lte: '2' },
      words: `Calls mint(to: ${payee}, id: 1, amount: 2, data: 0x) of ${dai} on chain 1.`,
    },
  ],
  'Uniswap V2': [
    {
      signature:
        'swapExactTokensForTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline)',
      values: [5n, 4n, [USDC, DAI], WALLET, 9n],
      condition: { path: 'path[-1]', eq: DAI },
      words: `Calls swapExactTokensForTokens(amountIn: 5, amountOutMin: 4, path: [${usdc}, ${dai}], to: ${wallet}, deadline: 9) of ${dai} on chain 1.`,
    },
    {
      signature:
        'swapTokensForExactTokens(uint256 amountOut, uint256 amountInMax, address[] path, address to, uint256 deadline)',
      values: [5n, 6n, [USDC, DAI], WALLET, 9n],
      condition: { path: 'to', in: ['@wallet'] },
      words: 'amountInMax: 6',
    },
    {
      signature:
        'swapExactETHForTokens(uint256 amountOutMin, address[] path, address to, uint256 deadline)',
      values: [4n, [USDC, DAI], WALLET, 9n],
      condition: { path: 'path', some: [{ eq: DAI }] },
      words: 'amountOutMin: 4',
    },
    {
      signature:
        'addLiquidity(address tokenA, address tokenB, uint256 amountADesired, uint256 amountBDesired, uint256 amountAMin, uint256 amountBMin, address to, uint256 deadline)',
      values: [USDC, DAI, 1n, 2n, 1n, 2n, WALLET, 9n],
      condition: { path: 'tokenB', eq: DAI },
      words: `tokenA: ${usdc}, tokenB: ${dai}`,
    },
    {
      signature:
        'removeLiquidityETH(address token, uint256 liquidity, uint256 amountTokenMin, uint256 amountETHMin, address to, uint256 deadline)',
      values: [USDC, 1n, 2n, 3n, WALLET, 9n],
      condition: { path: 'liquidity', lte: '1' },
      words: 'liquidity: 1',
    },
  ],
  'Uniswap V3': [
    {
      signature:
        'exactInputSingle((address tokenIn, address tokenOut, uint24 fee, address recipient, uint256 deadline, uint256 amountIn, uint256 amountOutMinimum, uint160 sqrtPriceLimitX96) params)',
      values: [[USDC, DAI, 500, WALLET, 9n, 5n, 4n, 0n]],
      condition: { path: 'params.recipient', in: ['@wallet'] },
      words: `Calls exactInputSingle(params: [${usdc}, ${dai}, 500, ${wallet}, 9, 5, 4, 0]) of ${dai} on chain 1.`,
    },
    {
      signature:
        'exactInput((bytes path, address recipient, uint256 deadline, uint256 amountIn, uint256 amountOutMinimum) params)',
      values: [[`${USDC}0001f4${DAI.slice(2)}`, WALLET, 9n, 5n, 4n]],
      condition: { path: 'params.path', prefix: USDC },
      words: `params: [${usdc}0001f4${dai!.slice(2)}`,
    },
    {
      signature:
        'exactOutputSingle((address tokenIn, address tokenOut, uint24 fee, address recipient, uint256 amountOut, uint256 amountInMaximum, uint160 sqrtPriceLimitX96) params)',
      values: [[USDC, DAI, 500, WALLET, 5n, 6n, 0n]],
      condition: { path: 'params.amountInMaximum', lte: '6' },
      words: 'exactOutputSingle',
    },
    {
      signature:
        'mint((address token0, address token1, uint24 fee, int24 tickLower, int24 tickUpper, uint256 amount0Desired, uint256 amount1Desired, uint256 amount0Min, uint256 amount1Min, address recipient, uint256 deadline) params)',
      values: [[USDC, DAI, 500, -887220, 887220, 1n, 2n, 1n, 2n, WALLET, 9n]],
      condition: { path: 'params.tickLower', gte: '-887220' },
      words: '-887220',
    },
    {
      signature: 'multicall(uint256 deadline, bytes[] data)',
      values: [9n, ['0x12']],
      condition: { path: 'deadline', lte: '9' },
      words: 'Calls multicall(deadline: 9, data: [0x12])',
    },
    {
      signature: 'execute(bytes commands, bytes[] inputs, uint256 deadline)',
      values: ['0x00', ['0x12'], 9n],
      condition: { path: 'commands', eq: '0x00' },
      words: 'Calls execute(commands: 0x00',
    },
  ],
  Permit2: [
    {
      signature: 'approve(address token, address spender, uint160 amount, uint48 expiration)',
      values: [USDC, PAYEE, 5_000_000n, 9],
      condition: { path: 'token', eq: USDC },
      words: `Allows ${payee} to take 5 (5000000 units) of USDC.`,
    },
    {
      signature: 'transferFrom(address from, address to, uint160 amount, address token)',
      values: [WALLET, PAYEE, 5_000_000n, USDC],
      condition: { path: 'token', eq: USDC },
      words: `Sends 5 (5000000 units) of USDC to ${payee}.`,
    },
    {
      signature:
        'permit(address owner, ((address token, uint160 amount, uint48 expiration, uint48 nonce) details, address spender, uint256 sigDeadline) permitSingle, bytes signature)',
      values: [WALLET, [[USDC, 5_000_000n, 1, 2], PAYEE, 9n], SIGNATURE],
      condition: { path: 'permitSingle.details.token', eq: USDC },
      words: `Allows ${payee} to take 5 (5000000 units) of USDC.`,
    },
    {
      signature:
        'permitTransferFrom(((address token, uint256 amount) permitted, uint256 nonce, uint256 deadline) permit, (address to, uint256 requestedAmount) transferDetails, address owner, bytes signature)',
      values: [[[USDC, 5n], 1n, 9n], [PAYEE, 5n], WALLET, SIGNATURE],
      condition: { path: 'transferDetails.to', eq: PAYEE },
      words: 'Calls permitTransferFrom',
    },
  ],
  Seaport: [
    {
      signature: `fulfillOrder((${ORDER_PARAMETERS} parameters, bytes signature) order, bytes32 fulfillerConduitKey)`,
      values: [[parameters, SIGNATURE], NONE],
      condition: { path: 'order.parameters.consideration[0].recipient', eq: PAYEE },
      words: 'Calls fulfillOrder',
    },
    {
      signature: `cancel((address offerer,address zone,(uint8 itemType,address token,uint256 identifierOrCriteria,uint256 startAmount,uint256 endAmount)[] offer,(uint8 itemType,address token,uint256 identifierOrCriteria,uint256 startAmount,uint256 endAmount,address recipient)[] consideration,uint8 orderType,uint256 startTime,uint256 endTime,bytes32 zoneHash,uint256 salt,bytes32 conduitKey,uint256 counter)[] orders)`,
      values: [[parameters]],
      condition: {
        path: 'orders',
        every: [{ path: 'offer', every: [{ path: 'token', eq: DAI }] }],
      },
      words: 'Calls cancel',
    },
    {
      signature: 'incrementCounter()',
      values: [],
      condition: {},
      words: 'Calls incrementCounter()',
    },
  ],
  Safe: [
    {
      signature:
        'execTransaction(address to, uint256 value, bytes data, uint8 operation, uint256 safeTxGas, uint256 baseGas, uint256 gasPrice, address gasToken, address refundReceiver, bytes signatures)',
      values: [PAYEE, 1n, '0x', 0, 0, 0, 0, ZERO, ZERO, SIGNATURE],
      condition: { path: 'operation', eq: '0' },
      words: `Calls execTransaction(to: ${payee}, value: 1, data: 0x, operation: 0`,
    },
    {
      signature: 'addOwnerWithThreshold(address owner, uint256 _threshold)',
      values: [PAYEE, 2n],
      condition: { path: '_threshold', gte: '2' },
      words: `Calls addOwnerWithThreshold(owner: ${payee}, _threshold: 2)`,
    },
    {
      signature: 'approveHash(bytes32 hashToApprove)',
      values: [NONE],
      condition: { path: 'hashToApprove', eq: NONE },
      words: 'Calls approveHash',
    },
    {
      signature: 'enableModule(address module)',
      values: [PAYEE],
      condition: { path: 'module', eq: PAYEE },
      words: `Calls enableModule(module: ${payee})`,
    },
  ],
  Aave: [
    {
      signature: 'supply(address asset, uint256 amount, address onBehalfOf, uint16 referralCode)',
      values: [USDC, 5n, WALLET, 0],
      condition: { path: 'onBehalfOf', in: ['@wallet'] },
      words: `Calls supply(asset: ${usdc}, amount: 5, onBehalfOf: ${wallet}, referralCode: 0)`,
    },
    {
      signature: 'withdraw(address asset, uint256 amount, address to)',
      values: [USDC, 5n, WALLET],
      condition: { path: 'to', in: ['@wallet'] },
      words: `Calls withdraw(asset: ${usdc}, amount: 5, to: ${wallet})`,
    },
    {
      signature:
        'borrow(address asset, uint256 amount, uint256 interestRateMode, uint16 referralCode, address onBehalfOf)',
      values: [USDC, 5n, 2n, 0, WALLET],
      condition: { path: 'interestRateMode', eq: '2' },
      words: 'interestRateMode: 2',
    },
    {
      signature:
        'repay(address asset, uint256 amount, uint256 interestRateMode, address onBehalfOf)',
      values: [USDC, 5n, 2n, WALLET],
      condition: { path: 'amount', lte: '5' },
      words: 'Calls repay',
    },
    {
      signature:
        'flashLoan(address receiverAddress, address[] assets, uint256[] amounts, uint256[] interestRateModes, address onBehalfOf, bytes params, uint16 referralCode)',
      values: [PAYEE, [USDC], [5n], [0n], WALLET, '0x', 0],
      condition: { path: 'assets', every: [{ eq: USDC }] },
      words: 'Calls flashLoan',
    },
  ],
}

const all = Object.entries(CALLS).flatMap(([contract, calls]) =>
  calls.map((called) => ({
    name: `${contract} ${called.signature.split('(')[0]}`,
    contract,
    ...called,
  })),
)

it('are 40 functions or more', () => {
  expect(all.length).toBeGreaterThanOrEqual(40)
})

it.each(all)(
  '$name is decoded and explained',
  ({ contract, signature, values, condition, words }) => {
    const to = contract === 'ERC-20' ? USDC : DAI
    const entry = { function: signature, ...('path' in condition && { conditions: [condition] }) }
    const policy = allowing(
      {
        kind: 'transaction',
        chains: [1],
        to: [to],
        calls: [entry],
        unlimited_approval: true,
        unchecked_nested_calls: true,
      },
      { tokens: [{ name: 'USDC', chain: 1, address: USDC, decimals: 6 }] },
    )
    const request = call(signature, values, { to })
    const decision = decide(policy, request)
    expect(decision.decision, decision.explanation.join(' ')).toBe('allow')
    expect(decision.explanation.join(' ')).toContain(words)
  },
)

it('a condition on a nested member is checked', () => {
  const [seaport] = CALLS['Seaport']!
  const policy = allowing({
    kind: 'transaction',
    chains: [1],
    to: [DAI],
    calls: [
      {
        function: seaport!.signature,
        conditions: [{ path: 'order.parameters.consideration[0].recipient', eq: THIEF }],
      },
    ],
  })
  const decision = decide(policy, call(seaport!.signature, seaport!.values, { to: DAI }))
  expect(decision).toMatchObject({ decision: 'deny', code: 'condition_failed' })
  expect(decision.explanation.at(-1)).toBe(
    `Denied: the rule "rule" does not allow it, because order.parameters.consideration[0].recipient is ${payee} instead of ${lower(THIEF)}.`,
  )
})
