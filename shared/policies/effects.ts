/** Effects of well-known functions and types on tokens, which sums count and which need a rule that names them. */

/** Tokens that leave the wallet, or that another address may take from now on. */
export type Movement = {
  kind: 'transfer' | 'approval'
  /** Undefined if the domain of typed data does not name a contract. */
  token: string | undefined
  /** Recipient of a transfer, or address that is approved. */
  recipient: string
  /** Amount in the smallest unit. An ID for the functions that ERC-20 and ERC-721 share. */
  amount: bigint
  /** Set if the effect is specific to this standard. The `amount` is then a number of tokens, not an ID. */
  standard?: 'erc721' | 'erc1155'
  isUnlimited: boolean
  /** The approval covers all tokens and has no amount or ID. */
  isForAll?: true
}

export type Effect = {
  movements: readonly Movement[]
  /** The function executes calls that its arguments contain. */
  hasNestedCalls?: true
  /** Code of another contract is executed with the rights of the wallet or of its contract. */
  isDelegateCall?: true
}

/** @param contract the called contract, or the contract of the typed data's domain */
export type EffectOf = (values: readonly any[], contract: string | undefined) => Effect

/** An approval of half of the type's range or more never runs out. */
const isUnlimited = (amount: bigint, bits = 256) => amount >= 2n ** BigInt(bits - 1)

const transfer = (
  token: string | undefined,
  recipient: string,
  amount: bigint,
  standard?: 'erc721' | 'erc1155',
): Movement => ({
  kind: 'transfer',
  token,
  recipient,
  amount,
  ...(standard && { standard }),
  isUnlimited: false,
})

const approval = (
  token: string | undefined,
  recipient: string,
  amount: bigint,
  bits = 256,
): Movement => ({
  kind: 'approval',
  token,
  recipient,
  amount,
  isUnlimited: isUnlimited(amount, bits),
})

const unlimited = (token: string | undefined, recipient: string): Movement => ({
  kind: 'approval',
  token,
  recipient,
  amount: 2n ** 256n - 1n,
  isUnlimited: true,
  isForAll: true,
})

const one = (movement: Movement): Effect => ({ movements: [movement] })
const none: Effect = { movements: [] }
const nested: EffectOf = () => ({ movements: [], hasNestedCalls: true })
const ZERO = `0x${'0'.repeat(40)}`

/** Members of Permit2's structs. */
type Details = [token: string, amount: bigint]

const details = (list: readonly Details[], spender: string, bits: number): Effect => ({
  movements: list.map(([token, amount]) => approval(token, spender, amount, bits)),
})

/** `operation` is 1 for a delegate call (Safe). */
const safeCall = (operation: bigint): Effect => ({
  movements: [],
  hasNestedCalls: true,
  ...(operation !== 0n && { isDelegateCall: true as const }),
})

/** Functions with an effect, by their signature. */
export const FUNCTION_EFFECTS: Readonly<Record<string, EffectOf>> = {
  // ERC-20. ERC-721 has the same approve and transferFrom, with an ID instead of an amount.
  'transfer(address to,uint256 amount)': ([to, amount], token) => one(transfer(token, to, amount)),
  'transferFrom(address from,address to,uint256 amount)': ([, to, amount], token) =>
    one(transfer(token, to, amount)),
  'approve(address spender,uint256 amount)': ([spender, amount], token) =>
    one(approval(token, spender, amount)),
  'increaseAllowance(address spender,uint256 addedValue)': ([spender, amount], token) =>
    one(approval(token, spender, amount)),
  'increaseApproval(address spender,uint256 addedValue)': ([spender, amount], token) =>
    one(approval(token, spender, amount)),
  'decreaseAllowance(address spender,uint256 subtractedValue)': () => none,
  'decreaseApproval(address spender,uint256 subtractedValue)': () => none,
  'burn(uint256 amount)': ([amount], token) => one(transfer(token, ZERO, amount)),
  'burnFrom(address account,uint256 amount)': ([, amount], token) =>
    one(transfer(token, ZERO, amount)),
  // ERC-2612, and DAI's permit
  'permit(address owner,address spender,uint256 value,uint256 deadline,uint8 v,bytes32 r,bytes32 s)':
    ([, spender, amount], token) => one(approval(token, spender, amount)),
  'permit(address owner,address spender,uint256 value,uint256 deadline,bytes signature)': (
    [, spender, amount],
    token,
  ) => one(approval(token, spender, amount)),
  'permit(address holder,address spender,uint256 nonce,uint256 expiry,bool allowed,uint8 v,bytes32 r,bytes32 s)':
    ([, spender, , , allowed], token) => (allowed ? one(unlimited(token, spender)) : none),
  // ERC-3009
  'transferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce,uint8 v,bytes32 r,bytes32 s)':
    ([, to, amount], token) => one(transfer(token, to, amount)),
  'receiveWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce,uint8 v,bytes32 r,bytes32 s)':
    ([, to, amount], token) => one(transfer(token, to, amount)),
  // ERC-677, ERC-777 and ERC-1363
  'transferAndCall(address to,uint256 amount)': ([to, amount], token) =>
    one(transfer(token, to, amount)),
  'transferAndCall(address to,uint256 amount,bytes data)': ([to, amount], token) =>
    one(transfer(token, to, amount)),
  'transferFromAndCall(address from,address to,uint256 amount)': ([, to, amount], token) =>
    one(transfer(token, to, amount)),
  'transferFromAndCall(address from,address to,uint256 amount,bytes data)': (
    [, to, amount],
    token,
  ) => one(transfer(token, to, amount)),
  'approveAndCall(address spender,uint256 amount)': ([spender, amount], token) =>
    one(approval(token, spender, amount)),
  'approveAndCall(address spender,uint256 amount,bytes data)': ([spender, amount], token) =>
    one(approval(token, spender, amount)),
  'send(address recipient,uint256 amount,bytes data)': ([to, amount], token) =>
    one(transfer(token, to, amount)),
  'operatorSend(address sender,address recipient,uint256 amount,bytes data,bytes operatorData)': (
    [, to, amount],
    token,
  ) => one(transfer(token, to, amount)),
  'authorizeOperator(address operator)': ([operator], token) => one(unlimited(token, operator)),
  // ERC-721 and ERC-1155
  'safeTransferFrom(address from,address to,uint256 tokenId)': ([, to], token) =>
    one(transfer(token, to, 1n, 'erc721')),
  'safeTransferFrom(address from,address to,uint256 tokenId,bytes data)': ([, to], token) =>
    one(transfer(token, to, 1n, 'erc721')),
  'setApprovalForAll(address operator,bool approved)': ([operator, approved], token) =>
    approved ? one(unlimited(token, operator)) : none,
  'safeTransferFrom(address from,address to,uint256 id,uint256 value,bytes data)': (
    [, to, , amount],
    token,
  ) => one(transfer(token, to, amount, 'erc1155')),
  'safeBatchTransferFrom(address from,address to,uint256[] ids,uint256[] values,bytes data)': (
    [, to, , amounts],
    token,
  ) => ({
    movements: amounts.map((amount: bigint) => transfer(token, to, amount, 'erc1155')),
  }),
  // Permit2
  'approve(address token,address spender,uint160 amount,uint48 expiration)': ([
    token,
    spender,
    amount,
  ]) => one(approval(token, spender, amount, 160)),
  'transferFrom(address from,address to,uint160 amount,address token)': ([, to, amount, token]) =>
    one(transfer(token, to, amount)),
  'transferFrom((address from,address to,uint160 amount,address token)[] transferDetails)': ([
    list,
  ]) => ({
    movements: list.map(([, to, amount, token]: [string, string, bigint, string]) =>
      transfer(token, to, amount),
    ),
  }),
  'permit(address owner,((address token,uint160 amount,uint48 expiration,uint48 nonce) details,address spender,uint256 sigDeadline) permitSingle,bytes signature)':
    ([, [detail, spender]]) => details([detail], spender, 160),
  'permit(address owner,((address token,uint160 amount,uint48 expiration,uint48 nonce)[] details,address spender,uint256 sigDeadline) permitBatch,bytes signature)':
    ([, [list, spender]]) => details(list, spender, 160),
  // Calls in arguments: Multicall of Uniswap and others, Multicall3, Safe, ERC-4337, ERC-7579, Universal Router
  'multicall(bytes[] data)': nested,
  'multicall(uint256 deadline,bytes[] data)': nested,
  'multicall(bytes32 previousBlockhash,bytes[] data)': nested,
  'multicall(address[] targets,bytes[] data)': nested,
  'multicall(address[] targets,bytes[] data,uint256[] values)': nested,
  'aggregate((address target,bytes callData)[] calls)': nested,
  'tryAggregate(bool requireSuccess,(address target,bytes callData)[] calls)': nested,
  'blockAndAggregate((address target,bytes callData)[] calls)': nested,
  'tryBlockAndAggregate(bool requireSuccess,(address target,bytes callData)[] calls)': nested,
  'aggregate3((address target,bool allowFailure,bytes callData)[] calls)': nested,
  'aggregate3Value((address target,bool allowFailure,uint256 value,bytes callData)[] calls)':
    nested,
  'execTransaction(address to,uint256 value,bytes data,uint8 operation,uint256 safeTxGas,uint256 baseGas,uint256 gasPrice,address gasToken,address refundReceiver,bytes signatures)':
    ([, , , operation]) => safeCall(operation),
  'execTransactionFromModule(address to,uint256 value,bytes data,uint8 operation)': ([
    ,
    ,
    ,
    operation,
  ]) => safeCall(operation),
  'execTransactionFromModuleReturnData(address to,uint256 value,bytes data,uint8 operation)': ([
    ,
    ,
    ,
    operation,
  ]) => safeCall(operation),
  'multiSend(bytes transactions)': () => safeCall(1n),
  'execute(address target,bytes data)': () => safeCall(1n),
  'execute(bytes code,bytes data)': () => safeCall(1n),
  'execute(address dest,uint256 value,bytes func)': nested,
  'execute(address to,uint256 value,bytes data,uint8 operation)': ([, , , operation]) =>
    safeCall(operation),
  'execute(bytes32 mode,bytes executionCalldata)': nested,
  'execute(bytes commands,bytes[] inputs)': nested,
  'execute(bytes commands,bytes[] inputs,uint256 deadline)': nested,
  'executeBatch(address[] dest,bytes[] func)': nested,
  'executeBatch(address[] dest,uint256[] value,bytes[] func)': nested,
  'executeBatch((address target,uint256 value,bytes data)[] calls)': nested,
  'handleOps((address sender,uint256 nonce,bytes initCode,bytes callData,uint256 callGasLimit,uint256 verificationGasLimit,uint256 preVerificationGas,uint256 maxFeePerGas,uint256 maxPriorityFeePerGas,bytes paymasterAndData,bytes signature)[] ops,address beneficiary)':
    nested,
  'handleOps((address sender,uint256 nonce,bytes initCode,bytes callData,bytes32 accountGasLimits,uint256 preVerificationGas,bytes32 gasFees,bytes paymasterAndData,bytes signature)[] ops,address beneficiary)':
    nested,
  // Proxies whose owner exchanges their code
  'upgradeTo(address newImplementation)': () => ({ movements: [], isDelegateCall: true }),
  'upgradeToAndCall(address newImplementation,bytes data)': () => safeCall(1n),
  'upgradeAndCall(address proxy,address implementation,bytes data)': () => safeCall(1n),
  'diamondCut((address facetAddress,uint8 action,bytes4[] functionSelectors)[] diamondCut,address init,bytes data)':
    () => safeCall(1n),
}

const DETAILS = 'PermitDetails(address token,uint160 amount,uint48 expiration,uint48 nonce)'
const PERMISSIONS = 'TokenPermissions(address token,uint256 amount)'

/** Types of typed data with an effect, by their `encodeType` of EIP-712. */
export const TYPE_EFFECTS: Readonly<Record<string, EffectOf>> = {
  'Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)': (
    [, spender, amount],
    token,
  ) => one(approval(token, spender, amount)),
  'Permit(address holder,address spender,uint256 nonce,uint256 expiry,bool allowed)': (
    [, spender, , , allowed],
    token,
  ) => (allowed ? one(unlimited(token, spender)) : none),
  'TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)':
    ([, to, amount], token) => one(transfer(token, to, amount)),
  'ReceiveWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)':
    ([, to, amount], token) => one(transfer(token, to, amount)),
  [`PermitSingle(PermitDetails details,address spender,uint256 sigDeadline)${DETAILS}`]: ([
    detail,
    spender,
  ]) => details([detail], spender, 160),
  [`PermitBatch(PermitDetails[] details,address spender,uint256 sigDeadline)${DETAILS}`]: ([
    list,
    spender,
  ]) => details(list, spender, 160),
  [`PermitTransferFrom(TokenPermissions permitted,address spender,uint256 nonce,uint256 deadline)${PERMISSIONS}`]:
    ([permitted, spender]) => details([permitted], spender, 256),
  [`PermitBatchTransferFrom(TokenPermissions[] permitted,address spender,uint256 nonce,uint256 deadline)${PERMISSIONS}`]:
    ([list, spender]) => details(list, spender, 256),
  'SafeTx(address to,uint256 value,bytes data,uint8 operation,uint256 safeTxGas,uint256 baseGas,uint256 gasPrice,address gasToken,address refundReceiver,uint256 nonce)':
    ([, , , operation]) => safeCall(operation),
  'OrderComponents(address offerer,address zone,OfferItem[] offer,ConsiderationItem[] consideration,uint8 orderType,uint256 startTime,uint256 endTime,bytes32 zoneHash,uint256 salt,bytes32 conduitKey,uint256 counter)ConsiderationItem(uint8 itemType,address token,uint256 identifierOrCriteria,uint256 startAmount,uint256 endAmount,address recipient)OfferItem(uint8 itemType,address token,uint256 identifierOrCriteria,uint256 startAmount,uint256 endAmount)':
    ([, zone, offer], seaport) => ({
      movements: offer.map((item: OfferItem) => offered(item, seaport ?? zone)),
    }),
}

type OfferItem = [itemType: bigint, token: string, id: bigint, start: bigint, end: bigint]

/**
 * It is not known who will fill a Seaport order, so the recipient is the contract that takes the tokens. A partially
 * fillable order can offer several ERC-721 tokens of a collection.
 */
function offered([itemType, token, , start, end]: OfferItem, seaport: string): Movement {
  const isNft = itemType === 2n || itemType === 4n
  const standard = isNft ? 'erc721' : itemType === 3n || itemType === 5n ? 'erc1155' : undefined
  return {
    ...approval(token, seaport, start > end ? start : end),
    ...(standard && { standard }),
  }
}

/** Witnesses add members of the application's types to Permit2's transfers, so their types have no fixed text. */
const WITNESS_TYPES: readonly { start: string; effect: EffectOf }[] = [
  {
    start:
      'PermitWitnessTransferFrom(TokenPermissions permitted,address spender,uint256 nonce,uint256 deadline,',
    effect: ([permitted, spender]) => details([permitted], spender, 256),
  },
  {
    start:
      'PermitBatchWitnessTransferFrom(TokenPermissions[] permitted,address spender,uint256 nonce,uint256 deadline,',
    effect: ([list, spender]) => details(list, spender, 256),
  },
]

export function effectOfType(encodedType: string): EffectOf | undefined {
  if (Object.hasOwn(TYPE_EFFECTS, encodedType)) return TYPE_EFFECTS[encodedType]
  // Includes the parenthesis, because the name of another type could end with TokenPermissions.
  if (!encodedType.includes(`)${PERMISSIONS}`)) return undefined
  return WITNESS_TYPES.find(({ start }) => encodedType.startsWith(start))?.effect
}
