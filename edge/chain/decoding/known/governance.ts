/** Who may do what: votes, timelocks, administrators, vesting. */
export const GOVERNANCE_EVENTS = `
DelegateVotesChanged(address indexed delegate, uint256 previousVotes, uint256 newVotes)
VoteCast(address indexed voter, uint256 proposalId, uint8 support, uint256 weight, string reason)
VoteCastWithParams(address indexed voter, uint256 proposalId, uint8 support, uint256 weight, string reason, bytes params)
CallScheduled(bytes32 indexed id, uint256 indexed index, address target, uint256 value, bytes data, bytes32 predecessor, uint256 delay)
CallExecuted(bytes32 indexed id, uint256 indexed index, address target, uint256 value, bytes data)
CallSalt(bytes32 indexed id, bytes32 salt)
DefaultAdminTransferScheduled(address indexed newAdmin, uint48 acceptSchedule)
QueueTransaction(bytes32 indexed txHash, address indexed target, uint256 value, string signature, bytes data, uint256 eta)
ExecuteTransaction(bytes32 indexed txHash, address indexed target, uint256 value, string signature, bytes data, uint256 eta)
CancelTransaction(bytes32 indexed txHash, address indexed target, uint256 value, string signature, bytes data, uint256 eta)
ERC20Released(address indexed token, uint256 amount)
ERC20PaymentReleased(address indexed token, address to, uint256 amount)
`
