CREATE FUNCTION "replace_sums"(
	"wallets" text[], "keys" text[], "befores" jsonb[], "afters" jsonb[], "expiries" timestamptz[],
	"payers" text[], "digests" text[], "policies" text[], "paid_until" timestamptz,
	"since" float8, "clock_from" float8, "clock_to" float8,
	OUT "clock" float8, OUT "is_replaced" boolean
) LANGUAGE plpgsql
-- Plans once for each connection, with indexes: the tables may be small at that time.
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
-- Replaces states of sums and records digests, unless something has changed that `origin/policies/sums/reserve-batch.ts`
-- has assumed. Decides nothing itself. The arrays have an element for each sum and digest, respectively.
DECLARE
	locked bigint := 0;
	-- As in `origin/policies/sums/database-state.ts`.
	current_timeline text :=
		(pg_control_system()).system_identifier || '/' || left(pg_walfile_name(pg_current_wal_lsn()), 8);
BEGIN
	is_replaced := false;
	-- A row that another transaction holds is about to change. In other isolation levels, the statements below would not see
	-- what was committed before the rows were locked.
	IF current_setting('transaction_isolation') = 'read committed' THEN
		PERFORM FROM unnest(wallets, keys, befores) v (pkp_id, key, state)
		JOIN policy_sums s ON s.pkp_id = v.pkp_id AND s.key = v.key AND s.state = v.state
		FOR UPDATE OF s SKIP LOCKED;
		GET DIAGNOSTICS locked = ROW_COUNT;
	END IF;
	clock := extract(epoch FROM clock_timestamp()) * 1000;
	IF locked <> cardinality(wallets)
		OR clock NOT BETWEEN clock_from AND clock_to
		OR (
			SELECT extract(epoch FROM max(complete_since)) * 1000
			FROM database_timelines HAVING bool_or(timeline = current_timeline)
		)::float8 IS DISTINCT FROM since
		OR EXISTS (
			SELECT FROM unnest(payers, digests) v (pkp_id, digest)
			JOIN policy_signatures s ON s.pkp_id = v.pkp_id AND s.digest = v.digest
		)
	THEN
		RETURN;
	END IF;
	IF current_setting('synchronous_commit') IN ('off', 'local') THEN
		PERFORM set_config('synchronous_commit', 'on', true);
	END IF;
	UPDATE policy_sums s SET state = v.state, expires_at = v.expires_at
	FROM unnest(wallets, keys, afters, expiries) v (pkp_id, key, state, expires_at)
	WHERE s.pkp_id = v.pkp_id AND s.key = v.key AND v.state IS NOT NULL;
	INSERT INTO policy_signatures (pkp_id, digest, policy_hash, expires_at)
	SELECT v.pkp_id, v.digest, v.policy_hash, paid_until
	FROM unnest(payers, digests, policies) v (pkp_id, digest, policy_hash)
	ON CONFLICT DO NOTHING;
	is_replaced := true;
END;
$$;
