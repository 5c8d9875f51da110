//! What a child gives up before it reads a document: descriptors, privileges, limits, system calls.

use std::collections::BTreeMap;
use std::io;

use landlock::{ABI, Access, AccessFs, AccessNet, Ruleset, RulesetAttr, RulesetStatus, Scope};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
};
use serde::{Deserialize, Serialize};

use super::sys::{self, Resource};

/// Which of the kernel's fences hold around a child.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sandbox {
    /// Only the listed system calls are left.
    pub seccomp: bool,
    /// No file can be opened and no port bound or reached, whatever the system call.
    pub landlock: bool,
    /// Why a fence is missing, at most 200 characters; empty where all hold.
    pub missing: String,
}

/// Keeps children and strangers from reading the memory of this process, which holds secrets.
///
/// A refusal changes nothing else and is ignored.
pub fn harden_parent() {
    let _ = sys::not_dumpable();
}

/// Fences this process in; runs on its only thread, before anything is read.
///
/// # Errors
/// When a limit cannot be set: such a child must not read documents. A kernel without seccomp or
/// Landlock is no error; the answer says so.
pub(super) fn enter(address_space: u64) -> io::Result<Sandbox> {
    sys::ignore_stop_signals();
    sys::close_other_descriptors()?;
    let _ = sys::drop_capabilities(); // refused only where there are none to drop
    sys::not_dumpable()?;
    sys::no_new_privileges()?;
    sys::die_with_parent()?;
    sys::set_limit(Resource::Core, 0, Some(0))?;
    sys::set_limit(Resource::FileSize, 0, Some(0))?;
    // The program itself is mapped, not used: its size is no memory of a document.
    let address_space = address_space.saturating_add(mapped_bytes());
    sys::set_limit(Resource::AddressSpace, address_space, Some(address_space))?;
    let mut sandbox = Sandbox::default();
    let mut missing = Vec::new();
    match landlock() {
        Ok(()) => sandbox.landlock = true,
        Err(why) => missing.push(format!("landlock: {why}")),
    }
    // Landlock needed a descriptor; from here on there are the three there are.
    sys::set_limit(Resource::OpenFiles, 3, Some(3))?;
    match seccomp() {
        Ok(()) => sandbox.seccomp = true,
        Err(why) => missing.push(format!("seccomp: {why}")),
    }
    sandbox.missing = missing.join("; ").chars().take(200).collect();
    Ok(sandbox)
}

/// Address space that this process has at its start, in bytes; 0 where the kernel does not say.
fn mapped_bytes() -> u64 {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages: u64 = statm.split(' ').next().and_then(|pages| pages.parse().ok()).unwrap_or(0);
    (pages * 4096).min(1 << 30)
}

/// Denies every access to files and the network that this kernel can deny.
fn landlock() -> Result<(), String> {
    let abi = ABI::V6;
    let status = Ruleset::default()
        .handle_access(AccessFs::from_all(abi))
        .and_then(|rules| rules.handle_access(AccessNet::from_all(abi)))
        .and_then(|rules| rules.scope(Scope::from_all(abi)))
        .and_then(Ruleset::create)
        .and_then(landlock::RulesetCreated::restrict_self)
        .map_err(|error| error.to_string())?;
    match status.ruleset {
        RulesetStatus::NotEnforced => Err("not in this kernel".to_owned()),
        RulesetStatus::PartiallyEnforced | RulesetStatus::FullyEnforced => Ok(()),
    }
}

/// System calls that scoring needs: memory, threads, its three descriptors, clocks, dying.
const ALLOWED: &[libc::c_long] = &[
    libc::SYS_brk,
    libc::SYS_clock_getres,
    libc::SYS_clock_gettime,
    libc::SYS_clock_nanosleep,
    libc::SYS_close,
    libc::SYS_exit,
    libc::SYS_exit_group,
    libc::SYS_futex,
    libc::SYS_getcpu,
    libc::SYS_getpid,
    libc::SYS_getrandom,
    libc::SYS_getrusage,
    libc::SYS_gettid,
    libc::SYS_madvise,
    libc::SYS_membarrier,
    libc::SYS_mremap,
    libc::SYS_munmap,
    libc::SYS_nanosleep,
    libc::SYS_read,
    libc::SYS_readv,
    libc::SYS_restart_syscall,
    libc::SYS_rseq,
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_sched_getaffinity,
    libc::SYS_sched_yield,
    libc::SYS_set_robust_list,
    libc::SYS_sigaltstack,
    libc::SYS_write,
    libc::SYS_writev,
];

fn condition(
    argument: u8,
    operator: SeccompCmpOp,
    value: u64,
) -> Result<SeccompRule, seccompiler::BackendError> {
    SeccompRule::new(vec![SeccompCondition::new(argument, SeccompCmpArgLen::Dword, operator, value)?])
}

/// Leaves only the calls of [`ALLOWED`] and a few with fixed arguments.
///
/// Others fail as if the kernel did not know them: glibc then falls back (`clone3` to `clone`), and a
/// newer C library cannot make every child die.
fn seccomp() -> Result<(), String> {
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> = ALLOWED.iter().map(|call| (*call, Vec::new())).collect();
    limited_calls(&mut rules).map_err(|error| error.to_string())?;
    let arch = std::env::consts::ARCH.try_into().map_err(|_| "not for this processor".to_owned())?;
    let unknown = SeccompAction::Errno(libc::ENOSYS.unsigned_abs());
    let filter =
        SeccompFilter::new(rules, unknown, SeccompAction::Allow, arch).map_err(|error| error.to_string())?;
    let program: BpfProgram =
        filter.try_into().map_err(|error: seccompiler::BackendError| error.to_string())?;
    seccompiler::apply_filter(&program).map_err(|error| error.to_string())
}

/// Calls that are allowed with some arguments only.
fn limited_calls(rules: &mut BTreeMap<i64, Vec<SeccompRule>>) -> Result<(), seccompiler::BackendError> {
    let thread = libc::CLONE_THREAD as u64;
    let executable = libc::PROT_EXEC as u64;
    // Threads, no processes; `clone3` hides its flags in memory and is left out.
    rules.insert(libc::SYS_clone, vec![condition(0, SeccompCmpOp::MaskedEq(thread), thread)?]);
    // No new executable memory.
    rules.insert(libc::SYS_mmap, vec![condition(2, SeccompCmpOp::MaskedEq(executable), 0)?]);
    rules.insert(libc::SYS_mprotect, vec![condition(2, SeccompCmpOp::MaskedEq(executable), 0)?]);
    // Only the soft limit of CPU time is moved.
    let cpu = u64::from(libc::RLIMIT_CPU);
    rules.insert(libc::SYS_prlimit64, vec![condition(1, SeccompCmpOp::Eq, cpu)?]);
    // Signals to itself: `abort`.
    let myself = u64::from(std::process::id());
    rules.insert(libc::SYS_tgkill, vec![condition(0, SeccompCmpOp::Eq, myself)?]);
    // Names of threads and of memory areas.
    let names = [libc::PR_SET_NAME, libc::PR_SET_VMA].map(|option| u64::from(option.unsigned_abs()));
    let names = names.into_iter().map(|option| condition(0, SeccompCmpOp::Eq, option));
    rules.insert(libc::SYS_prctl, names.collect::<Result<_, _>>()?);
    Ok(())
}
