/** Accounts that are contracts: the entry point of ERC-4337, Safe; Tornado’s notes. */
export const ACCOUNT_EVENTS = `
UserOperationEvent(bytes32 indexed userOpHash, address indexed sender, address indexed paymaster, uint256 nonce, bool success, uint256 actualGasCost, uint256 actualGasUsed)
AccountDeployed(bytes32 indexed userOpHash, address indexed sender, address factory, address paymaster)
UserOperationRevertReason(bytes32 indexed userOpHash, address indexed sender, uint256 nonce, bytes revertReason)
PostOpRevertReason(bytes32 indexed userOpHash, address indexed sender, uint256 nonce, bytes revertReason)
Deposited(address indexed account, uint256 totalDeposit)
Withdrawn(address indexed account, address withdrawAddress, uint256 amount)
StakeLocked(address indexed account, uint256 totalStaked, uint256 unstakeDelaySec)
StakeUnlocked(address indexed account, uint256 withdrawTime)
StakeWithdrawn(address indexed account, address withdrawAddress, uint256 amount)
SafeSetup(address indexed initiator, address[] owners, uint256 threshold, address initializer, address fallbackHandler)
SafeReceived(address indexed sender, uint256 value)
ExecutionSuccess(bytes32 indexed txHash, uint256 payment)
ExecutionFailure(bytes32 indexed txHash, uint256 payment)
ProxyCreation(address indexed proxy, address singleton)
Deposit(bytes32 indexed commitment, uint32 leafIndex, uint256 timestamp)
Withdrawal(address to, bytes32 nullifierHash, address indexed relayer, uint256 fee)
`
