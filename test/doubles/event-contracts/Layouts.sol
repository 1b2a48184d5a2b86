// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

/// @title Emits events of well-known contracts, with the same indexed arguments.
contract Layouts {
    struct Amounts {
        uint128 deposit;
        uint128 protocolFee;
        uint128 brokerFee;
    }

    struct Range {
        uint40 start;
        uint40 cliff;
        uint40 end;
    }

    // EAS
    event Attested(address indexed recipient, address indexed attester, bytes32 uid, bytes32 indexed schemaUID);
    event Revoked(address indexed recipient, address indexed attester, bytes32 uid, bytes32 indexed schemaUID);
    // ERC-6551
    event ERC6551AccountCreated(
        address account,
        address indexed implementation,
        bytes32 salt,
        uint256 chainId,
        address indexed tokenContract,
        uint256 indexed tokenId
    );
    // Sablier
    event CreateLockupLinearStream(
        uint256 streamId,
        address funder,
        address indexed sender,
        address indexed recipient,
        Amounts amounts,
        address indexed asset,
        bool cancelable,
        bool transferable,
        Range range,
        address broker
    );
    // ParaSwap
    event SwappedV3(
        bytes16 uuid,
        address partner,
        uint256 feePercent,
        address initiator,
        address indexed beneficiary,
        address indexed srcToken,
        address indexed destToken,
        uint256 srcAmount,
        uint256 receivedAmount,
        uint256 expectedAmount
    );
    // Not a known event, and its logs do not show which address is indexed.
    event Handed(address from, address indexed to);

    function attest(address a, address b, bytes32 uid, bytes32 schema) external {
        emit Attested(a, b, uid, schema);
        emit Revoked(b, a, uid, schema);
    }

    function createAccount(address account, address implementation, address token) external {
        emit ERC6551AccountCreated(account, implementation, bytes32(uint256(7)), 31337, token, 42);
    }

    function createStream(address sender, address recipient, address asset) external {
        emit CreateLockupLinearStream(
            9,
            msg.sender,
            sender,
            recipient,
            Amounts(1000, 2, 3),
            asset,
            true,
            false,
            Range(100, 200, 300),
            address(0)
        );
    }

    function swap(address partner, address beneficiary, address source, address destination) external {
        emit SwappedV3(
            0x000102030405060708090a0b0c0d0e0f,
            partner,
            5,
            msg.sender,
            beneficiary,
            source,
            destination,
            1000,
            990,
            995
        );
    }

    function hand(address from, address to) external {
        emit Handed(from, to);
    }
}
