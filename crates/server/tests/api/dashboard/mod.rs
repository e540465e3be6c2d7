//! The dashboard from a browser's view: its forms are submitted as a browser without scripts would.

mod account;
mod audit;
mod browser;
mod builds;
mod isolation;
mod operator;
mod pages;
mod passkeys;
mod sign_in;
mod site;
mod writing;
